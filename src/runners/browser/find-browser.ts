/**
 * Finds the browser for checks: a configured one, one that sonde installed, the system's, Playwright's, or one from
 * npm.
 */
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { formatNoBrowser } from './install-command.ts';
import { readInstalled } from './installed-browser.ts';
import { findProgram, isProgram } from './is-program.ts';
import { ensureNpmChromium } from './npm-chromium.ts';
import { findInPlaywrightFolders } from './playwright-browser.ts';

export interface BrowserSearch {
  /** Path of the browser that the user configured. */
  readonly executable?: string | undefined;
  /** Reads PATH, HOME and PLAYWRIGHT_BROWSERS_PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base for resolving packages: a file in the folder that contains node_modules. */
  readonly from: string;
  readonly execPath: string;
  /** A private folder for browsers from `sonde browser install` and from npm. */
  readonly folder: string;
  /** Command that installs a browser into that folder. Default: `sonde browser install`. */
  readonly installCommand?: string | undefined;
}

export interface FoundBrowser {
  readonly executablePath: string;
  /** How the browser was found, for display. */
  readonly source: 'named' | 'installed by sonde' | 'installed' | 'of Playwright' | 'from npm';
  /** Folder with all files of the browser; undefined if it is a part of the system. */
  readonly folder?: string;
}

/** Finds the browser that is available now. */
export type BrowserFinder = () => Promise<FoundBrowser | { readonly problem: string }>;

/** Returns the folders that a cell must be able to read. */
export const browserFolders = (browser: FoundBrowser | undefined): readonly string[] =>
  browser?.folder === undefined ? [] : [browser.folder];

/** Lighter programs first: the shell takes half the time and memory of the full browser. */
const PROGRAMS = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
/** Returns the browser, or why there is none. A configured browser is never replaced by another one. */
export async function findBrowser(
  search: BrowserSearch,
): Promise<FoundBrowser | { readonly problem: string }> {
  const { executable, env } = search;
  if (executable !== undefined) {
    if (await isProgram(executable)) return { executablePath: executable, source: 'named' };
    return { problem: `the configured browser is not a program: ${executable}` };
  }
  const finders: readonly (() => Promise<FoundBrowser | undefined>)[] = [
    () => findInstalled(search.folder),
    () => findSystemBrowser(env),
    () => findPlaywrightBrowser(env),
    () => findNpmBrowser(search),
  ];
  try {
    for (const find of finders) {
      const browser = await find();
      if (browser) return browser;
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  return { problem: formatNoBrowser(search.installCommand) };
}

/** Returns the browser from `sonde browser install`. */
async function findInstalled(folder: string): Promise<FoundBrowser | undefined> {
  const browser = await readInstalled(folder);
  if (browser === undefined || !(await isProgram(browser.executablePath))) return undefined;
  const { executablePath } = browser;
  return { executablePath, source: 'installed by sonde', folder: browser.folder };
}

/** Returns the browser that is installed system-wide. */
async function findSystemBrowser(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const programs = [
    ...PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  const executablePath = await findProgram(programs);
  return executablePath === undefined ? undefined : { executablePath, source: 'installed' };
}

/** Returns the browser from `playwright install`. */
async function findPlaywrightBrowser(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const home = env.HOME ?? '/nonexistent';
  const roots = [
    env.PLAYWRIGHT_BROWSERS_PATH,
    join(home, '.cache/ms-playwright'),
    join(home, 'Library/Caches/ms-playwright'),
  ].filter((root): root is string => root?.startsWith('/') === true);
  const browser = await findInPlaywrightFolders(roots);
  return browser && { ...browser, source: 'of Playwright' };
}

/** Returns the entry file of the package, resolved from the first possible base. */
async function resolvePackage(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    try {
      return await realpath(createRequire(file).resolve('@sparticuz/chromium'));
    } catch {
      // Not installed there: try the next.
    }
  }
  return undefined;
}

/** Returns the Chromium of @sparticuz/chromium, if the package is installed and supports this machine. */
async function findNpmBrowser({
  from,
  execPath,
  folder,
  env,
}: BrowserSearch): Promise<FoundBrowser | undefined> {
  if (platform() !== 'linux' || arch() !== 'x64') return undefined;
  const entry = await resolvePackage([from, join(folder, 'package.json')]);
  if (entry === undefined) return undefined;
  const executablePath = await ensureNpmChromium({ entry, folder, execPath, path: env.PATH });
  return { executablePath, source: 'from npm', folder: dirname(executablePath) };
}
