/** Finds the browser for checks: configured, installed by sonde, the system's, Playwright's, or from npm. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { isObject } from '../../base/object.ts';
import { ensureNpmChromium } from './npm-chromium.ts';
import { findProgram, isProgram } from './run-program.ts';

export interface BrowserSearch {
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
  readonly source: 'named' | 'installed by sonde' | 'installed' | 'of Playwright' | 'from npm';
  /** Folder with all files of the browser; undefined if it is a part of the system. */
  readonly folder?: string;
  /** Program that records videos; undefined: none was found. */
  readonly ffmpegPath?: string | undefined;
}

/** Finds the browser that is available now. */
export type BrowserFinder = () => Promise<FoundBrowser | { readonly problem: string }>;

/** Returns the folders that a cell must be able to read. Cells see the programs of the system. */
export function browserFolders({ folder, ffmpegPath }: Partial<FoundBrowser> = {}): readonly string[] {
  const isOfPlaywright = ffmpegPath !== undefined && FFMPEG_REVISION.test(basename(dirname(ffmpegPath)));
  return [...(folder === undefined ? [] : [folder]), ...(isOfPlaywright ? [dirname(ffmpegPath)] : [])];
}

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
  const browser = await findProgramOf(search);
  if ('problem' in browser) return browser;
  return { ...browser, ffmpegPath: await findFfmpeg(browser.folder, search.env) };
}

async function findProgramOf(search: BrowserSearch): Promise<FoundBrowser | { readonly problem: string }> {
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

async function findInstalled(browsers: string): Promise<FoundBrowser | undefined> {
  const { executablePath, folder } = (await readInstalled(browsers)) ?? {};
  if (executablePath === undefined || folder === undefined || !(await isProgram(executablePath)))
    return undefined;
  return { executablePath, source: 'installed by sonde', folder };
}

async function findSystemBrowser(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const programs = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  const executablePath = await findProgram([...programs, ...APPLICATIONS]);
  return executablePath === undefined ? undefined : { executablePath, source: 'installed' };
}

async function findPlaywrightBrowser(env: BrowserSearch['env']): Promise<FoundBrowser | undefined> {
  const browser = await findInPlaywrightFolders(listPlaywrightRoots(env));
  return browser && { ...browser, source: 'of Playwright' };
}

function listPlaywrightRoots(env: BrowserSearch['env']): readonly string[] {
  const home = env.HOME ?? '/nonexistent';
  const caches = [join(home, '.cache/ms-playwright'), join(home, 'Library/Caches/ms-playwright')];
  return [env.PLAYWRIGHT_BROWSERS_PATH ?? '', ...caches].filter((root) => root.startsWith('/'));
}

/** Name of the program that `sonde browser install` puts beside the browser. */
export const INSTALLED_FFMPEG = 'ffmpeg';
const FFMPEG_REVISION = /^ffmpeg-(\d+)$/;

/** Returns the ffmpeg in the folder of the browser, that of the system, or that of Playwright. */
async function findFfmpeg(
  browserFolder: string | undefined,
  env: BrowserSearch['env'],
): Promise<string | undefined> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const programs = [...(browserFolder === undefined ? [] : [browserFolder]), ...folders];
  return (
    (await findProgram(programs.map((folder) => join(folder, INSTALLED_FFMPEG)))) ??
    (await findPlaywrightFfmpeg(listPlaywrightRoots(env)))
  );
}

/** Returns the newest ffmpeg in folders of Playwright. */
export async function findPlaywrightFfmpeg(roots: readonly string[]): Promise<string | undefined> {
  const found: { readonly folder: string; readonly number: number }[] = [];
  for (const root of roots)
    for (const name of await readdir(root).catch(() => [])) {
      const [, number] = FFMPEG_REVISION.exec(name) ?? [];
      if (number !== undefined) found.push({ folder: join(root, name), number: Number(number) });
    }
  const newest = found.toSorted((one, other) => other.number - one.number);
  return findProgram(
    newest.flatMap(({ folder }) => ['ffmpeg-linux', 'ffmpeg-mac'].map((name) => join(folder, name))),
  );
}

/** Returns the Chromium of @sparticuz/chromium, if the package is installed and supports this machine. */
async function findNpmBrowser({ from, folder, env }: BrowserSearch): Promise<FoundBrowser | undefined> {
  if (platform() !== 'linux' || arch() !== 'x64') return undefined;
  for (const base of [from, join(folder, 'package.json')]) {
    let entry: string;
    try {
      entry = await realpath(createRequire(base).resolve('@sparticuz/chromium'));
    } catch {
      continue;
    }
    const executablePath = await ensureNpmChromium({ entry, folder, path: env.PATH });
    return { executablePath, source: 'from npm', folder: dirname(executablePath) };
  }
  return undefined;
}

export const INSTALL_COMMAND = 'sonde browser install';

export const formatNoBrowser = (installCommand: string = INSTALL_COMMAND): string =>
  `no browser is installed; to install one, run: ${installCommand}`;

/** File that names the current browser. It is replaced atomically. */
export const RECORD = 'installed.json';

export interface InstallRecord {
  /** Folder beside the file, and the path of the program in it. */
  readonly folder: string;
  readonly program: string;
  readonly version: string;
  /** Source package: `@sparticuz/chromium@147.0.0`. */
  readonly from: string;
  /** Previous folder, which running checks may still need. */
  readonly previous: string | null;
}

export async function readRecord(browsers: string): Promise<InstallRecord | undefined> {
  const text = await readFile(join(browsers, RECORD), 'utf8').catch(() => '');
  let record: unknown;
  try {
    record = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(record)) return undefined;
  const { folder, program, version, from, previous } = record;
  const isComplete = [folder, program, version, from].every((value) => typeof value === 'string');
  if (!isComplete) return undefined;
  return { ...record, previous: typeof previous === 'string' ? previous : null } as InstallRecord;
}

/** Returns the browser in the record, without checking that it exists. */
export async function readInstalled(browsers: string) {
  const record = await readRecord(browsers);
  if (record === undefined) return undefined;
  const folder = join(browsers, record.folder);
  return { ...record, folder, executablePath: join(folder, record.program) };
}

const REVISION = /^(chromium_headless_shell|chromium)-(\d+)$/;
const PLAYWRIGHT_PROGRAMS = [
  'chrome-headless-shell-linux64/chrome-headless-shell',
  'chrome-linux64/chrome',
  'chrome-linux/headless_shell',
  'chrome-linux/chrome',
  'chrome-headless-shell-mac-arm64/chrome-headless-shell',
  'chrome-headless-shell-mac-x64/chrome-headless-shell',
];
/** Playwright writes this file when a download is complete. */
const COMPLETE = 'INSTALLATION_COMPLETE';

export type PlaywrightBrowser = Pick<Required<FoundBrowser>, 'executablePath' | 'folder'>;

/** Returns the headless shell in preference to the full browser, and the newest revision. */
export async function findInPlaywrightFolders(
  roots: readonly string[],
): Promise<PlaywrightBrowser | undefined> {
  const revisions: { readonly folder: string; readonly number: number; readonly isShell: boolean }[] = [];
  for (const root of roots) {
    for (const name of await readdir(root).catch(() => [])) {
      const [, type, number] = REVISION.exec(name) ?? [];
      if (number === undefined) continue;
      const folder = join(root, name);
      revisions.push({ folder, number: Number(number), isShell: type !== 'chromium' });
    }
  }
  revisions.sort((one, other) => Number(other.isShell) - Number(one.isShell) || other.number - one.number);
  for (const { folder } of revisions) {
    const names: readonly string[] = await readdir(folder).catch(() => []);
    if (!names.includes(COMPLETE)) continue;
    const executablePath = await findProgram(PLAYWRIGHT_PROGRAMS.map((path) => join(folder, path)));
    if (executablePath !== undefined) return { executablePath, folder };
  }
  return undefined;
}
