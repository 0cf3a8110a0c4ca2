/** Downloads a browser, either with Playwright or from the npm registry. */
import { mkdir, rename } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { writePinnedProject } from '../../packages/pinned-package.ts';
import {
  findInPlaywrightFolders,
  findPlaywrightFfmpeg,
  INSTALLED_FFMPEG,
  type PlaywrightBrowser,
} from '../find-browser.ts';
import { shareFolder, unpackChromium } from '../npm-chromium.ts';
import { type ProgramRun, runProgram } from '../run-program.ts';
import type { InstalledRuntime } from '../runtimes.ts';

export interface DownloadOptions {
  /** An empty folder, which is removed at the end. */
  readonly folder: string;
  readonly execPath: string;
  readonly env: ProgramRun['env'];
  readonly signal: AbortSignal;
  readonly kill: NonNullable<ProgramRun['kill']>;
  readonly onStep: (step: string) => void;
  readonly onProgress: (progress: string) => void;
}

export interface BrowserSource {
  readonly name: string;
  readonly origin: string;
  /** Why this source does not support this machine, as the rest of a sentence; undefined if it does. */
  readonly refusal: string | undefined;
  download(options: DownloadOptions): Promise<PlaywrightBrowser>;
}

/** The package on npm, with the checksum of its archive. Its own dependencies are not needed: no code of it runs. */
const NPM_PACKAGE = {
  name: '@sparticuz/chromium',
  version: '147.0.0',
  integrity:
    'sha512-4ZKeAQQa8up2mt675qSitztLdbQrlf8BKdC5naeap+5Mv1OV1OlJdPoU+EJC/p5sQUJUQmN4r+q5+EhaaOUHpQ==',
} as const;
const PLAYWRIGHT_BROWSER = 'chromium-headless-shell';
/** Playwright's connection timeout, in ms. Playwright tries five times. */
const CONNECTION_MS = 10_000;

/** Playwright's download has no checksum that sonde could know, so only the user can accept it. */
export function listBrowserSources(
  { core, version }: InstalledRuntime,
  acceptsPlaywright: boolean,
): readonly BrowserSource[] {
  const isForNpm = platform() === 'linux' && arch() === 'x64';
  return [
    {
      name: `playwright-core@${version}`,
      origin: 'Playwright',
      refusal: acceptsPlaywright
        ? undefined
        : 'is not used, because Playwright publishes no checksums: pass --from-playwright to accept its download',
      download: (options) => downloadWithPlaywright(join(core, 'cli.js'), options),
    },
    {
      name: `${NPM_PACKAGE.name}@${NPM_PACKAGE.version}`,
      origin: 'the npm registry',
      refusal: isForNpm ? undefined : `is only for Linux x64, not ${platform()} ${arch()}`,
      download: downloadWithNpm,
    },
  ];
}

async function downloadWithPlaywright(cli: string, options: DownloadOptions): Promise<PlaywrightBrowser> {
  const { folder, execPath, env, signal, kill, onProgress } = options;
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  const { lines } = await runProgram([execPath, cli, 'install', PLAYWRIGHT_BROWSER], {
    cwd: folder,
    signal,
    kill,
    env: {
      PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: String(CONNECTION_MS),
      ...env,
      PLAYWRIGHT_BROWSERS_PATH: folder,
      TMPDIR: temporary,
    },
    // |■■■■    |  20% of 112.3 MiB
    onLine: (line) => {
      const [progress] = /(?<!\d)\d+% of .*/.exec(line) ?? [];
      if (progress !== undefined) onProgress(progress);
    },
  });
  const browser = await findInPlaywrightFolders([folder]);
  if (browser === undefined) throw new Error(findPlaywrightError(lines));
  // Playwright downloads ffmpeg with each browser.
  const ffmpeg = await findPlaywrightFfmpeg([folder]);
  if (ffmpeg !== undefined) await rename(ffmpeg, join(browser.folder, INSTALLED_FFMPEG));
  await shareFolder(browser.folder);
  return browser;
}

/** Returns Playwright's first error, which is the cause. Later errors come from its own code. */
function findPlaywrightError(lines: readonly string[]): string {
  const plain = lines.map(stripVTControlCharacters);
  return (
    plain.find((line) => line.startsWith('Error: '))?.slice('Error: '.length) ??
    plain.at(-1) ??
    'it downloaded nothing'
  );
}

async function downloadWithNpm(options: DownloadOptions): Promise<PlaywrightBrowser> {
  const { folder, execPath, env, signal, kill, onStep } = options;
  await writePinnedProject(folder, NPM_PACKAGE);
  const argv = [
    ...['npm', 'ci', '--prefix', folder, '--ignore-scripts'],
    // Overrides npm settings that would change the target folder.
    ...['--no-global', '--workspaces=false', '--no-audit', '--no-fund'],
  ] as const;
  // Otherwise npm leaves compiled code in the temporary folder.
  const noCompileCache = { NODE_DISABLE_COMPILE_CACHE: '1' };
  // npm is installed beside Node, even if PATH does not contain it.
  const path = [env.PATH, dirname(execPath)].filter(Boolean).join(delimiter);
  const { code, lines } = await runProgram(argv as unknown as readonly [string, ...string[]], {
    cwd: folder,
    signal,
    kill,
    env: { ...env, ...noCompileCache, PATH: path },
  }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error('npm is not installed') : error;
  });
  if (code !== 0) throw new Error(findNpmError(lines));
  onStep('Unpacking Chromium');
  const unpacked = join(folder, 'browser');
  await mkdir(unpacked);
  const root = join(folder, 'node_modules', NPM_PACKAGE.name);
  return { executablePath: await unpackChromium(unpacked, root, signal), folder: unpacked };
}

/** Returns npm's error message. npm prints codes first, then the message, then advice. */
function findNpmError(lines: readonly string[]): string {
  if (lines.some((line) => /EINTEGRITY/.test(line)))
    return `the checksum of ${NPM_PACKAGE.name}@${NPM_PACKAGE.version} is not the expected one, so nothing of it was run. Check the registry and the cache of your npm settings`;
  const errors = lines.flatMap((line) => /^npm (?:error|ERR!) (.*)$/.exec(line)?.[1] ?? []);
  const isCode = /^(?:code|syscall|errno|path|dest|type|A complete log)\b/;
  return errors.find((line) => line.trim() !== '' && !isCode.test(line)) ?? lines.at(-1) ?? 'npm failed';
}
