/** Which browser checks run in: one that is named, one that is installed, Playwright's own, or one that npm brought. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export interface BrowserSearch {
  /** As the user names it: a path. */
  readonly named?: string | undefined;
  /** PATH, HOME and PLAYWRIGHT_BROWSERS_PATH are read. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where packages are looked for: a file in the folder that node_modules belongs to. */
  readonly from: string;
  readonly execPath: string;
  /** A private folder, where a browser from npm may be installed, and is unpacked to. */
  readonly folder: string;
}

export interface FoundBrowser {
  readonly executablePath: string;
  /** How it was found, as a word for people. */
  readonly source: 'named' | 'installed' | 'of Playwright' | 'from npm';
}

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
/** Below Playwright's folder: a revision, then the program of a system. */
const OF_PLAYWRIGHT = /^(chromium_headless_shell|chromium)-(\d+)$/;
const WITHIN = [
  'chrome-headless-shell-linux64/chrome-headless-shell',
  'chrome-linux64/chrome',
  'chrome-linux/headless_shell',
  'chrome-linux/chrome',
  'chrome-headless-shell-mac-arm64/chrome-headless-shell',
  'chrome-headless-shell-mac-x64/chrome-headless-shell',
];

/** The browser, or why there is none. A browser that is named is taken or refused, never another in its place. */
export async function findBrowser(
  search: BrowserSearch,
): Promise<FoundBrowser | { readonly problem: string }> {
  const { named, env } = search;
  if (named !== undefined) {
    if (await isProgram(named)) return { executablePath: named, source: 'named' };
    return { problem: `the browser that was named is no program: ${named}` };
  }
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const installed = [
    ...PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...APPLICATIONS,
  ];
  const ways = [
    async () => found('installed', await firstProgram(installed)),
    async () => found('of Playwright', await firstProgram(await ofPlaywright(env))),
    async () => found('from npm', await fromNpm(search)),
  ];
  for (const way of ways) {
    const browser = await way();
    if (browser) return browser;
  }
  return { problem: noneIn(search.folder) };
}

/** The last version whose `engines` allow Node 20. */
const FROM_NPM = '@sparticuz/chromium@147.0.0';

const noneIn = (folder: string): string =>
  `no browser is installed: install Chromium or Chrome (Debian: apt-get install chromium), name one with --browser PATH or SONDE_BROWSER, or, on Linux x64, run: npm install --prefix ${folder} ${FROM_NPM}`;

function found(source: FoundBrowser['source'], executablePath: string | undefined): FoundBrowser | undefined {
  return executablePath === undefined ? undefined : { executablePath, source };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function firstProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}

/** The newest revision first, of equal ones the shell. */
async function ofPlaywright(env: BrowserSearch['env']): Promise<string[]> {
  const home = env.HOME ?? '/nonexistent';
  const roots = [
    env.PLAYWRIGHT_BROWSERS_PATH,
    join(home, '.cache/ms-playwright'),
    join(home, 'Library/Caches/ms-playwright'),
  ].filter((root): root is string => root?.startsWith('/') === true);
  const programs: { readonly revision: number; readonly shell: number; readonly paths: string[] }[] = [];
  for (const root of roots) {
    for (const name of await readdir(root).catch(() => [])) {
      const [, type, revision] = OF_PLAYWRIGHT.exec(name) ?? [];
      if (revision === undefined) continue;
      programs.push({
        revision: Number(revision),
        shell: type === 'chromium' ? 0 : 1,
        paths: WITHIN.map((path) => join(root, name, path)),
      });
    }
  }
  programs.sort((one, other) => other.shell - one.shell || other.revision - one.revision);
  return programs.flatMap(({ paths }) => paths);
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

/** @sparticuz/chromium, where somebody installed it: it unpacks itself, here into a folder of ours. */
async function fromNpm({ from, execPath, folder, env }: BrowserSearch): Promise<string | undefined> {
  const entry = await packageFrom([from, join(folder, 'package.json')]);
  if (entry === undefined) return undefined;
  const code = `const { default: chromium } = await import(${JSON.stringify(entry)}); console.log(await chromium.executablePath());`;
  const { stdout } = await promisify(execFile)(execPath, ['--input-type=module', '-e', code], {
    env: { PATH: env.PATH, HOME: folder, TMPDIR: folder },
  });
  return stdout.trim();
}
