/** Installs a browser into a data folder atomically: the old one stays in use until the new one has rendered a page. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { raceWithAbort } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { makeFolder } from '../../../base/files.ts';
import { openSandbox, type SandboxOptions } from '../../../sandbox/index.ts';
import { CannotRun } from '../../core/runner.ts';
import { createEvaluator } from '../../evaluation/evaluator.ts';
import { makeEnginesFolder } from '../../suite/engines.ts';
import {
  type InstallRecord,
  type PlaywrightBrowser,
  RECORD,
  readInstalled,
  readRecord,
} from '../find-browser.ts';
import { UnusableChromium } from '../npm-chromium.ts';
import { createBrowserRunner } from '../runner.ts';
import { createRuntimes, type Runtimes } from '../runtimes.ts';
import { type BrowserSource, type DownloadOptions, listBrowserSources } from './browser-sources.ts';

export interface InstallOptions extends Omit<DownloadOptions, 'folder' | 'kill'> {
  readonly sandbox: SandboxOptions;
  readonly clock: Clock;
  /** The folder of the programs that run in a cell. */
  readonly programFolder: string;
  readonly browsers: string;
  /** A module that may find Playwright, and the folder where npm installs it otherwise. */
  readonly from: string;
  readonly runtimes: string;
  readonly force: boolean;
  /** Whether the user accepts a download without a checksum. */
  readonly fromPlaywright: boolean;
  readonly onFailure: (failure: SourceFailure) => void;
}

export interface InstallResult {
  readonly executablePath: string;
  readonly version: string;
  readonly from: string;
  /** False if a working browser already existed. */
  readonly isNew: boolean;
}

export interface SourceFailure {
  readonly source: BrowserSource;
  readonly reason: string;
  readonly isDownloaded: boolean;
}

export class BrowserInstallError extends Error {
  readonly failures: readonly SourceFailure[];

  constructor(failures: readonly SourceFailure[]) {
    super('no browser could be installed');
    this.name = 'NotInstalled';
    this.failures = failures;
  }
}

/** Playwright or the packages that scripts import could not be installed. */
export class PlaywrightInstallError extends Error {
  readonly isPlaywrightMissing = true;

  constructor(cause: CannotRun) {
    super(cause.message, { cause });
  }
}

const UNFINISHED = '.installing-';
/** Age at which unreferenced files belong to a killed process, in ms. */
const STALE_MS = 24 * 60 * 60_000;

/**
 * Installs a browser, unless a working one exists. Throws BrowserInstallError and file system errors; rejects with the
 * signal's reason. A failure leaves no files behind.
 */
export async function installBrowser(options: InstallOptions): Promise<InstallResult> {
  const { browsers, force, signal, onStep, onFailure } = options;
  makeFolder(browsers);
  makeEnginesFolder(options.runtimes);
  const runtimes = createRuntimes({
    from: options.from,
    folder: options.runtimes,
    env: options.env,
    onInstall: (packages) => onStep(`Installing ${packages}`),
  });
  const runtime = await raceWithAbort(selectWithPackages(runtimes, options), signal).catch(
    (error: unknown) => {
      throw error instanceof CannotRun ? new PlaywrightInstallError(error) : error;
    },
  );
  const sources = listBrowserSources(runtime, options.fromPlaywright);
  if (!force) {
    const working = await findWorkingBrowser(options, sources, runtimes);
    if (working !== undefined) return { ...working, isNew: false };
  }
  await removeStale(browsers);
  const unfinished = await mkdtemp(join(browsers, UNFINISHED));
  try {
    const failures: SourceFailure[] = [];
    for (const [number, source] of sources.entries()) {
      let isDownloaded = false;
      if (source.refusal !== undefined) {
        failures.push({ source, reason: source.refusal, isDownloaded });
        continue;
      }
      try {
        onStep(`Downloading Chromium from ${source.origin} (${source.name})`);
        const folder = join(unfinished, String(number));
        await mkdir(folder);
        const browser = await source.download({ ...options, folder, kill: options.sandbox.self.kill });
        isDownloaded = true;
        onStep('Checking that Chromium starts and renders a page');
        const version = await tryBrowser(browser, options, runtimes);
        signal.throwIfAborted();
        const program = relative(browser.folder, browser.executablePath);
        const record = await publish(browsers, browser.folder, { program, version, from: source.name });
        const executablePath = join(browsers, record.folder, program);
        return { executablePath, version, from: source.name, isNew: true };
      } catch (error) {
        signal.throwIfAborted();
        // A full disk or a read-only folder is not the fault of a source.
        if (isSystemError(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        const isUnusable = isDownloaded || error instanceof UnusableChromium;
        const failure = { source, reason: reason.split('\n')[0] ?? '', isDownloaded: isUnusable };
        failures.push(failure);
        if (sources.slice(number + 1).some(({ refusal }) => refusal === undefined)) onFailure(failure);
      }
    }
    throw new BrowserInstallError(failures);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function selectWithPackages(runtimes: Runtimes, { programFolder }: InstallOptions) {
  const runtime = await runtimes.select(null);
  await runtimes.packages(programFolder).install();
  return runtime;
}

const isSystemError = (error: unknown): boolean =>
  error instanceof Error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code));

async function findWorkingBrowser(
  options: InstallOptions,
  sources: readonly BrowserSource[],
  runtimes: Runtimes,
): Promise<Omit<InstallResult, 'isNew'> | undefined> {
  const installed = await readInstalled(options.browsers);
  if (installed === undefined || !sources.some(({ name }) => name === installed.from)) return undefined;
  const { executablePath, from } = installed;
  options.onStep('Checking the installed browser');
  try {
    return { executablePath, from, version: await tryBrowser(installed, options, runtimes) };
  } catch {
    options.signal.throwIfAborted();
    return undefined;
  }
}

/** Moves the folder into place and updates the record. Removes the browser that no run can need any more. */
async function publish(
  browsers: string,
  folder: string,
  details: Pick<InstallRecord, 'program' | 'version' | 'from'>,
): Promise<InstallRecord> {
  const previousRecord = await readRecord(browsers);
  const name = `chromium-${details.version}-${randomBytes(4).toString('hex')}`;
  const record: InstallRecord = { folder: name, ...details, previous: previousRecord?.folder ?? null };
  await rename(folder, join(browsers, name));
  const file = join(browsers, `${RECORD}.${name}`);
  // The service may run as a different user than the installer.
  await writeFile(file, `${JSON.stringify(record)}\n`, { mode: 0o644, flush: true });
  await rename(file, join(browsers, RECORD));
  if (previousRecord?.previous)
    await rm(join(browsers, basename(previousRecord.previous)), { recursive: true, force: true });
  return record;
}

async function removeStale(browsers: string): Promise<void> {
  const record = await readRecord(browsers);
  for (const name of await readdir(browsers)) {
    const isOurs = name.startsWith(UNFINISHED) || /^chromium-[\d.]+-[0-9a-f]{8}$/.test(name);
    if (!isOurs || name === record?.folder || name === record?.previous) continue;
    const path = join(browsers, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(path, { recursive: true, force: true });
  }
}

/** Compares two screenshots, because a browser without fonts opens pages but renders no text. */
const SCRIPT = `
const { chromium } = require('playwright');
const browser = await chromium.launch();
const page = await browser.newPage();
await page.setContent('<h1>&nbsp;</h1>');
const empty = await page.screenshot();
await page.setContent('<h1>sonde</h1>');
if (empty.equals(await page.screenshot())) throw new Error('it renders no text');
`;
const TRIAL_MS = 60_000;

/** Returns the browser's version. Throws an Error that says why it does not work; rejects with the signal's reason. */
async function tryBrowser(
  browser: PlaywrightBrowser,
  { sandbox: options, clock, programFolder, signal }: InstallOptions,
  runtimes: Runtimes,
): Promise<string> {
  const readable = [
    ...(options.readable ?? []),
    ...(await runtimes.list()).flatMap(({ folders }) => folders),
  ];
  const { execPath } = options.self;
  const sandbox = await openSandbox({ ...options, readable });
  const runner = createBrowserRunner({
    sandbox,
    clock,
    runtimes,
    maxInUse: 1,
    warm: 0,
    onError: () => {},
    browser: async () => ({ ...browser, source: 'installed by sonde' }),
    program: [execPath, join(programFolder, 'browser.cjs')],
  });
  try {
    const check = { script: SCRIPT };
    const slot = await runner.acquireSlot(check, signal);
    try {
      const { evaluate } = createEvaluator({ path: join(programFolder, 'evaluator.cjs'), execPath });
      const context = { clock, evaluate, location: '', resolvers: () => [], timeoutMs: TRIAL_MS };
      const { errors, details } = await slot.run(check, context, signal);
      if (errors[0] !== undefined) throw new Error(errors[0]);
      return String(details.browser).replace(/^Chromium /, '');
    } finally {
      await slot.release();
    }
  } finally {
    await runner.close();
    await sandbox.close();
  }
}
