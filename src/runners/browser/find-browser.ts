/** Finds the browser that checks run in: a named one, the one that sonde installed, the machine's, Playwright's, or one from npm. */
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
  /** As the user names it: a path. */
  readonly executable?: string | undefined;
  /** PATH, HOME and PLAYWRIGHT_BROWSERS_PATH are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where packages are looked for: a file in the folder that node_modules belongs to. */
  readonly from: string;
  readonly execPath: string;
  /** A private folder: holds what `sonde browser install` brought, and maybe a package from npm. */
  readonly folder: string;
  /** The command that installs a browser into that folder; `sonde browser install` unless given. */
  readonly installCommand?: string | undefined;
}

export interface FoundBrowser {
  readonly executablePath: string;
  /** How it was found, as a word for people. */
  readonly source: 'named' | 'installed by sonde' | 'installed' | 'of Playwright' | 'from npm';
  /** The folder that holds all of the browser; undefined: it is a part of the system. */
  readonly folder?: string;
}

/** Looks for the browser as it is now. */
export type BrowserFinder = () => Promise<FoundBrowser | { readonly problem: string }>;

/** The folders that a cell must be able to read. */
export const browserFolders = (browser: FoundBrowser | undefined): readonly string[] =>
  browser?.folder === undefined ? [] : [browser.folder];

/** The lighter first: the shell takes half the time and memory of the whole browser. */
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
/** The browser, or why there is none. A browser that is named is taken or refused, never another in its place. */
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

/** The browser that `sonde browser install` brought. */
async function findInstalled(folder: string): Promise<FoundBrowser | undefined> {
  const browser = await readInstalled(folder);
  if (browser === undefined || !(await isProgram(browser.executablePath))) return undefined;
  const { executablePath } = browser;
  return { executablePath, source: 'installed by sonde', folder: browser.folder };
}

/** The browser that this machine has for all. */
async function findSystemBrowser(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const programs = [
    ...PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  const executablePath = await findProgram(programs);
  return executablePath === undefined ? undefined : { executablePath, source: 'installed' };
}

/** The browser that `playwright install` brought. */
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

/** The package's entry, as the first of some files finds it. */
async function resolvePackage(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    try {
      return await realpath(createRequire(file).resolve('@sparticuz/chromium'));
    } catch {
      // Not there: the next.
    }
  }
  return undefined;
}

/** The Chromium of @sparticuz/chromium, if the package is installed and has a browser for this machine. */
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
