/** Writes the Playwright configuration of a suite: its own, with this machine's browser and the remaining time. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { SuiteJob } from '../protocol.ts';
import { linkPlaywright } from './resolve-install-command.ts';

/** Configuration files in Playwright's search order. */
const NAMES = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((end) => `playwright.config.${end}`);

export interface ConfigurationOptions {
  readonly executablePath: string;
  readonly sandboxed: boolean;
  /** Time limit of the tests, in ms. */
  readonly remainingMs: number;
}

export interface TestCommand {
  readonly command: string;
  /** Path of Playwright's report. */
  readonly report: string;
}

/** Writes the configuration beside the suite's own. Returns a sentence if that is missing. */
export function writeConfiguration(
  folder: string,
  job: SuiteJob,
  options: ConfigurationOptions,
): TestCommand | string {
  const ownConfig = job.configPath ?? NAMES.find((name) => existsSync(join(folder, name)));
  if (ownConfig !== undefined && !existsSync(join(folder, ownConfig)))
    return `the suite has no configuration file ${ownConfig}: it was not uploaded, or it has another path`;
  linkPlaywright(folder, job.packages);
  const configFolder = join(folder, ownConfig === undefined ? '.' : dirname(ownConfig));
  const config = join(configFolder, 'sonde.playwright.config.ts');
  writeFileSync(
    config,
    renderConfiguration(ownConfig === undefined ? undefined : `./${basename(ownConfig)}`, options),
  );
  const report = join(folder, '..', `report-${Date.now()}.json`);
  const filters = [
    ...job.projects.map((name) => `--project=${quote(name)}`),
    ...(job.tags.length > 0 ? [`--grep=${quote(job.tags.map(tagPattern).join('|'))}`] : []),
  ];
  const test = job.testCommand ?? `${playwrightCommand(job)} test`;
  const args = [`-c ${quote(relative(folder, config))}`, '--reporter=list,json', ...filters];
  return { command: [test, ...args].join(' '), report };
}

/**
 * Returns the command that starts Playwright on the engine. `npx` would choose the engine by the script's first line.
 */
function playwrightCommand({ engine }: SuiteJob): string {
  const flags = engine.kind === 'bun' ? ' --bun' : '';
  return `${quote(engine.program)}${flags} node_modules/@playwright/test/cli.js`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** Matches a whole tag, with or without its `@`. */
const tagPattern = (tag: string) =>
  `${tag.replace(/^@?/, '@').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=\\s|$)`;

/** Renders a configuration with this machine's browser for every project. The suite's own settings take precedence. */
function renderConfiguration(
  ownConfig: string | undefined,
  { executablePath, sandboxed, remainingMs }: ConfigurationOptions,
): string {
  const launch = JSON.stringify({ executablePath, chromiumSandbox: sandboxed });
  const importLine =
    ownConfig === undefined ? 'const found = {};' : `import * as found from ${JSON.stringify(ownConfig)};`;
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
