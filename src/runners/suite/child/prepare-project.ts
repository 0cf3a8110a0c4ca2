/** Prepares the project of a suite: unpacks it, and finds the commands that install its packages and run its tests. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, isAbsolute, join, posix, relative } from 'node:path';
import { unzipSync } from 'fflate';
import { isWithin } from '../../../base/contained-files.ts';
import type { SuiteJob } from '../../browser/protocol.ts';

/** The project cannot be tested, for a reason that its owner can change. */
export class UnusableProject extends Error {}

const MAX_BYTES = 512 * 1024 * 1024;

export function unpackArchive(archive: string, folder: string): string[] {
  let bytes = 0;
  try {
    const files = unzipSync(readFileSync(archive), {
      filter({ name, originalSize }) {
        bytes += originalSize;
        if (bytes > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES / 1024 ** 2} MB`);
        const path = posix.normalize(name);
        if (posix.isAbsolute(path) || path.startsWith('..') || path.includes('\\') || path.includes('\0'))
          throw new Error(`"${name}" points outside the archive`);
        return !name.endsWith('/');
      },
    });
    return Object.entries(files).map(([name, contents]) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, contents);
      return path;
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnusableProject(`the archive of the suite cannot be unpacked: ${reason}`);
  }
}

/** Returns the path without links; undefined if nothing is there, or the links are a loop. */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns the real path of a folder (`workingDir`) or file of the project. Throws UnusableProject if it does not exist, or
 * is outside the project after links are resolved. `root` has no links.
 */
export function resolveInProject(
  root: string,
  path: string,
  field: 'workingDir' | 'playwrightConfigPath',
  from = root,
): string {
  const kind = field === 'workingDir' ? 'folder' : 'configuration file';
  const outside = new UnusableProject(
    `the ${kind} ${path} is outside the suite: set ${field} to a path in the project`,
  );
  const named = join(from, path);
  if (isAbsolute(path) || !isWithin(named, root)) throw outside;
  const real = realPath(named);
  if (real === undefined)
    throw new UnusableProject(
      `the suite has no ${kind} ${path}: it was not uploaded, or it has another path`,
    );
  if (!isWithin(real, root)) throw outside;
  if (statSync(real).isDirectory() !== (field === 'workingDir'))
    throw new UnusableProject(`${path} is not a ${kind} of the suite: set ${field} to the path of one`);
  return real;
}

/** The first lock file found determines the command. */
const INSTALL_COMMANDS = [
  ['package-lock.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm ci --ignore-scripts --no-audit --no-fund'],
  ['bun.lock', 'bun install --ignore-scripts --frozen-lockfile'],
  ['bun.lockb', 'bun install --ignore-scripts --frozen-lockfile'],
] as const;
const UNSUPPORTED_LOCK_FILES = ['yarn.lock', 'pnpm-lock.yaml'];

/**
 * Returns the command that installs the packages; null if there is nothing to install. Install scripts of packages run
 * only with an `installCommand`. Bun can also be the package manager of suites on Node.
 */
export function resolveInstallCommand(folder: string, job: SuiteJob): string | null {
  if (job.installCommand !== null) return job.installCommand;
  const known = INSTALL_COMMANDS.find(([name]) => existsSync(join(folder, name)));
  if (known) return known[1];
  const unsupported = UNSUPPORTED_LOCK_FILES.find((name) => existsSync(join(folder, name)));
  if (unsupported)
    throw new UnusableProject(`cannot install from ${unsupported}: set the installCommand of the suite`);
  if (!hasDependencies(folder)) return null;
  return job.engine.kind === 'bun'
    ? 'bun install --ignore-scripts'
    : 'npm install --ignore-scripts --no-audit --no-fund';
}

function hasDependencies(folder: string): boolean {
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    );
    return Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  } catch {
    return false;
  }
}

function linkPlaywright(folder: string, packages: SuiteJob['packages']): void {
  if (existsSync(join(folder, 'node_modules/@playwright/test/package.json'))) return;
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    if (existsSync(link)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}

/** Configuration files in Playwright's search order. */
const NAMES = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((end) => `playwright.config.${end}`);

export interface ConfigurationOptions {
  /** Folder of the whole project. */
  readonly root: string;
  readonly executablePath: string;
  readonly sandboxed: boolean;
  readonly remainingMs: number;
}

/** Writes the configuration beside the suite's own. Returns the test command, and the path of Playwright's report. */
export function writeConfiguration(folder: string, job: SuiteJob, options: ConfigurationOptions) {
  const named = job.configPath ?? NAMES.find((name) => existsSync(join(folder, name)));
  const ownConfig =
    named && relative(folder, resolveInProject(options.root, named, 'playwrightConfigPath', folder));
  linkPlaywright(folder, job.packages);
  const config = join(folder, dirname(ownConfig ?? ''), 'sonde.playwright.config.ts');
  writeFileSync(config, renderConfiguration(ownConfig, options));
  const report = join(folder, '..', `report-${Date.now()}.json`);
  const args = [
    job.testCommand ?? `${playwrightCommand(job)} test`,
    `-c ${quote(relative(folder, config))}`,
    '--reporter=list,json',
    ...job.projects.map((name) => `--project=${quote(name)}`),
    ...(job.tags.length > 0 ? [`--grep=${quote(job.tags.map(tagPattern).join('|'))}`] : []),
  ];
  return { command: args.join(' '), report };
}

/** `npx` would choose the engine by the script's first line. */
function playwrightCommand({ engine }: SuiteJob): string {
  const flags = engine.kind === 'bun' ? ' --bun' : '';
  return `${quote(engine.program)}${flags} node_modules/@playwright/test/cli.js`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** Matches a whole tag, with or without its `@`. */
const tagPattern = (tag: string) =>
  `${tag.replace(/^@?/, '@').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=\\s|$)`;

function renderConfiguration(
  ownConfig: string | undefined,
  { executablePath, sandboxed, remainingMs }: ConfigurationOptions,
): string {
  const launch = JSON.stringify({ executablePath, chromiumSandbox: sandboxed });
  const importLine =
    ownConfig === undefined
      ? 'const found = {};'
      : `import * as found from ${JSON.stringify(`./${basename(ownConfig)}`)};`;
  return `${importLine}
const config = found.default?.default ?? found.default ?? found;
const isChromium = (use) => (use?.browserName ?? use?.defaultBrowserType ?? 'chromium') === 'chromium';
const here = (use) => {
  if (!isChromium({ ...config.use, ...use })) return use;
  const { channel, ...rest } = use ?? {};
  return { ...rest, launchOptions: { ...${launch}, ...config.use?.launchOptions, ...use?.launchOptions } };
};
export default {
  ...config,
  globalTimeout: Math.min(config.globalTimeout || Infinity, ${remainingMs}),
  ...(config.projects ? { projects: config.projects.map((one) => ({ ...one, use: here(one.use) })) } : { use: here(config.use) }),
};
`;
}
