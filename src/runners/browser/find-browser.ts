/** Finds the browser that checks run in: a named one, the one that sonde installed, the machine's, Playwright's, or one from npm. */
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { noBrowser } from './install-command.ts';
import { readInstalled } from './installed-browser.ts';
import { firstProgram, isProgram } from './is-program.ts';
import { unpackedChromium } from './npm-chromium.ts';
import { playwrightBrowser } from './playwright-browser.ts';

export interface BrowserSearch {
  /** As the user names it: a path. */
  readonly named?: string | undefined;
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
export const foldersOf = (browser: FoundBrowser | undefined): readonly string[] =>
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
  const { named, env } = search;
  if (named !== undefined) {
    if (await isProgram(named)) return { executablePath: named, source: 'named' };
    return { problem: `the configured browser is not a program: ${named}` };
  }
  const ways: readonly (() => Promise<FoundBrowser | undefined>)[] = [
    () => installedBySonde(search.folder),
    () => ofSystem(env),
    () => ofPlaywright(env),
    () => fromNpm(search),
  ];
  try {
    for (const way of ways) {
      const browser = await way();
      if (browser) return browser;
    }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  return { problem: noBrowser(search.installCommand) };
}

/** The browser that `sonde browser install` brought. */
async function installedBySonde(folder: string): Promise<FoundBrowser | undefined> {
  const browser = await readInstalled(folder);
  if (browser === undefined || !(await isProgram(browser.executablePath))) return undefined;
  const { executablePath } = browser;
  return { executablePath, source: 'installed by sonde', folder: browser.folder };
}

/** The browser that this machine has for all. */
async function ofSystem(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const programs = [
    ...PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  const executablePath = await firstProgram(programs);
  return executablePath === undefined ? undefined : { executablePath, source: 'installed' };
}

/** The browser that `playwright install` brought. */
async function ofPlaywright(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const home = env.HOME ?? '/nonexistent';
  const roots = [
    env.PLAYWRIGHT_BROWSERS_PATH,
    join(home, '.cache/ms-playwright'),
    join(home, 'Library/Caches/ms-playwright'),
  ].filter((root): root is string => root?.startsWith('/') === true);
  const browser = await playwrightBrowser(roots);
  return browser && { ...browser, source: 'of Playwright' };
}

/** The package's entry, as the first of some files finds it. */
async function packageFrom(files: readonly string[]): Promise<string | undefined> {
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
async function fromNpm({ from, execPath, folder, env }: BrowserSearch): Promise<FoundBrowser | undefined> {
  if (platform() !== 'linux' || arch() !== 'x64') return undefined;
  const entry = await packageFrom([from, join(folder, 'package.json')]);
  if (entry === undefined) return undefined;
  const executablePath = await unpackedChromium({ entry, folder, execPath, path: env.PATH });
  return { executablePath, source: 'from npm', folder: dirname(executablePath) };
}
