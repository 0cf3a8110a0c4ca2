/** Packs the folder of a Playwright project for sending: what git would keep, without what installing and running leave behind. */
import type { Stats } from 'node:fs';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { dirname, join, posix, relative, sep } from 'node:path';
import { type Zippable, zipSync } from 'fflate';
import picomatch from 'picomatch';
import { UsageError } from '../../../../src/base/errors.ts';
import { plural } from '../../../../src/base/plural.ts';
import type { Env } from '../../../../src/terminal/index.ts';
import { runGit } from '../git.ts';

export interface PackOptions {
  /** Globs of files that are sent though git does not keep them. */
  readonly include?: readonly string[];
  /** Globs of files that stay here. */
  readonly exclude?: readonly string[];
  /** The path of Playwright's configuration, where it was named: it must be among what is sent. */
  readonly config?: string | undefined;
  /** Whether some configuration must be. */
  readonly needsConfig?: boolean;
}

export interface PackedSuite {
  /** A ZIP archive; the same files give the same bytes. */
  readonly archive: Buffer;
  readonly files: number;
}

/** What a service takes at most (docs/commands.md), in bytes. */
const MAX_BYTES = 23 * 1024 * 1024;
/** `..`: a forged git index can name files outside the folder. */
const EXCLUDED = ['..', 'node_modules', '.git', 'test-results', 'playwright-report', 'blob-report'];
const MANIFESTS =
  /(?:^|\/)(?:package\.json|playwright\.config\.[cm]?[jt]s|[^/]+\.(?:spec|test)\.[cm]?[jt]sx?)$/;
const CONFIG = /(?:^|\/)playwright\.config\.[cm]?[jt]s$/;
/** So that the time of packing changes nothing. */
const FIXED_TIME = new Date(2000, 0, 1);

/** Packs `folder`. @throws UsageError where no such folder, no suite in it, or too much. */
export async function packSuite(
  folder: string,
  named: string,
  env: Env,
  choice: PackOptions = {},
): Promise<PackedSuite> {
  const refuse = (message: string, hint?: string) =>
    new UsageError(`cannot send ${named}: ${message}`, {
      details: [{ place: named, message }],
      ...(hint === undefined ? {} : { hint }),
    });
  const stats = await lstat(folder).catch(() => undefined);
  if (!stats?.isDirectory()) throw refuse(stats ? 'not a folder' : 'no such folder');
  const paths = await listPaths(folder, env, choice);
  if (!paths.some((path) => MANIFESTS.test(path)))
    throw refuse('no Playwright project found', 'pass the folder that contains playwright.config.ts');
  const { config, needsConfig = false } = choice;
  if (config !== undefined && !paths.includes(posix.normalize(config)))
    throw refuse(
      `the configuration ${config} is not among the files to send`,
      'pass its path relative to the folder',
    );
  if (config === undefined && needsConfig && !paths.some((path) => CONFIG.test(path)))
    throw refuse(
      'the folder has no playwright.config.ts',
      'pass the folder that contains it, or pass --playwright-config-path',
    );
  const root = await realpath(folder);
  /** Whether no folder on its way is a link: a forged git index can name files below one. */
  const isInside = async (path: string) =>
    (await realpath(dirname(join(folder, path)))) === join(root, posix.dirname(path));
  const zippable: Zippable = {};
  let bytes = 0;
  for (const path of paths) {
    const found = await lstat(join(folder, path)).catch((): Stats | undefined => undefined);
    // Deleted, though git still knows it; or a link, which may lead anywhere.
    if (!found?.isFile() || !(await isInside(path))) continue;
    bytes += found.size;
    if (bytes > MAX_BYTES * 8)
      throw refuse(
        `the files are larger than ${(MAX_BYTES * 8) / 1024 ** 2} MB`,
        'exclude some with --exclude',
      );
    zippable[path] = [await readFile(join(folder, path)), { mtime: FIXED_TIME }];
  }
  const archive = Buffer.from(zipSync(zippable));
  if (archive.length > MAX_BYTES) {
    const size = `${Math.ceil(archive.length / 1024 ** 2)} MB packed (${plural(paths.length, 'file')})`;
    throw refuse(
      `the project has ${size}; the limit is ${MAX_BYTES / 1024 ** 2} MB`,
      'exclude some with --exclude',
    );
  }
  return { archive, files: Object.keys(zippable).length };
}

/** Paths relative to the folder, with `/`, in a fixed order. */
async function listPaths(
  folder: string,
  env: Env,
  { include = [], exclude = [] }: PackOptions,
): Promise<string[]> {
  const wanted = include.length > 0 ? picomatch([...include], { dot: true }) : () => false;
  const unwanted = exclude.length > 0 ? picomatch([...exclude], { dot: true }) : () => false;
  const kept = await listGitFiles(folder, env);
  const walked = kept === undefined || include.length > 0 ? await listFiles(folder) : [];
  const all = new Set([...(kept ?? walked), ...walked.filter((path) => wanted(path))]);
  return [...all].filter((path) => !unwanted(path) && !isExcluded(path)).sort();
}

const isExcluded = (path: string): boolean => path.split('/').some((part) => EXCLUDED.includes(part));

/** What git keeps or would: undefined where the folder is none of its. */
async function listGitFiles(folder: string, env: Env): Promise<string[] | undefined> {
  const listed = await runGit(folder, ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], env);
  const paths = (listed ?? '').split('\0').filter((path) => path !== '');
  return paths.length > 0 ? paths : undefined;
}

async function listFiles(folder: string): Promise<string[]> {
  const found: string[] = [];
  const visit = async (here: string): Promise<void> => {
    for (const entry of await readdir(here, { withFileTypes: true })) {
      if (EXCLUDED.includes(entry.name)) continue;
      const path = join(here, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) found.push(relative(folder, path).replaceAll(sep, '/'));
    }
  };
  await visit(folder);
  return found;
}
