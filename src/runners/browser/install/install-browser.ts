/** Installs a browser into a data folder, in one step: until the new one has painted a page, the old one stays in use. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { makeFolder } from '../../../base/folder.ts';
import { type InstallRecord, RECORD, readInstalled, readRecord } from '../installed-browser.ts';
import { UnusableChromium } from '../npm-chromium.ts';
import { type BrowserSource, type DownloadOptions, listBrowserSources } from './browser-sources.ts';
import { type TrialOptions, tryBrowser } from './try-browser.ts';

export interface InstallOptions extends Omit<DownloadOptions, 'folder' | 'kill'>, TrialOptions {
  /** The folder of browsers in a data folder. */
  readonly browsers: string;
  /** Installs also if a browser that works is there. */
  readonly force: boolean;
  /** Called with what went wrong with a way, before the next is tried. */
  readonly onFailure: (failure: SourceFailure) => void;
}

export interface InstallResult {
  readonly executablePath: string;
  readonly version: string;
  /** What brought it. */
  readonly from: string;
  /** False: it was there already, and works. */
  readonly isNew: boolean;
}

/** Why one way brought no browser that works. */
export interface SourceFailure {
  readonly source: BrowserSource;
  readonly reason: string;
  /** Whether there was a browser, which did not work. */
  readonly isDownloaded: boolean;
}

/** No way brought a browser that works. */
export class BrowserInstallError extends Error {
  readonly failures: readonly SourceFailure[];

  constructor(failures: readonly SourceFailure[]) {
    super('no browser could be installed');
    this.name = 'NotInstalled';
    this.failures = failures;
  }
}

const UNFINISHED = '.installing-';
/** What nothing refers to for this long was left by a process that was killed, in ms. */
const STALE_MS = 24 * 60 * 60_000;

/**
 * Installs a browser, unless one that works is there. Throws NotInstalled, and what the system says of the folder; rejects with the
 * signal's reason. Leaves nothing behind then.
 */
export async function installBrowser(options: InstallOptions): Promise<InstallResult> {
  const { browsers, from, force, signal, onStep, onFailure } = options;
  makeFolder(browsers);
  const sources = listBrowserSources(from);
  if (!force) {
    const working = await findWorkingBrowser(options, sources);
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
        const version = await tryBrowser(browser, options);
        signal.throwIfAborted();
        const program = relative(browser.folder, browser.executablePath);
        const record = await publish(browsers, browser.folder, { program, version, from: source.name });
        const executablePath = join(browsers, record.folder, program);
        return { executablePath, version, from: source.name, isNew: true };
      } catch (error) {
        signal.throwIfAborted();
        // A full disk or a folder that takes nothing is no fault of a way.
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

const isSystemError = (error: unknown): boolean =>
  error instanceof Error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code));

/** The browser that is installed, if this version of sonde would install the same and it works. */
async function findWorkingBrowser(
  options: InstallOptions,
  sources: readonly BrowserSource[],
): Promise<Omit<InstallResult, 'isNew'> | undefined> {
  const installed = await readInstalled(options.browsers);
  if (installed === undefined || !sources.some(({ name }) => name === installed.from)) return undefined;
  const { executablePath, from } = installed;
  options.onStep('Checking the installed browser');
  try {
    return { executablePath, from, version: await tryBrowser(installed, options) };
  } catch {
    options.signal.throwIfAborted();
    return undefined;
  }
}

/** Puts the folder in its place and has the record name it; removes what no run can need any more. */
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
  // The service may run as another user than the one who installs.
  await writeFile(file, `${JSON.stringify(record)}\n`, { mode: 0o644, flush: true });
  await rename(file, join(browsers, RECORD));
  if (previousRecord?.previous)
    await rm(join(browsers, basename(previousRecord.previous)), { recursive: true, force: true });
  return record;
}

/** Removes what processes left that were killed. */
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
