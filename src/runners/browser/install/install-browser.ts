/** Installs a browser into a data folder, in one step: until the new one has painted a page, the old one stays in use. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { makeFolder } from '../../../base/folder.ts';
import { type InstallRecord, RECORD, readInstalled, readRecord } from '../installed-browser.ts';
import { UnusableChromium } from '../npm-chromium.ts';
import { type Trial, tryBrowser } from './try-browser.ts';
import { type Bringing, type Way, waysOf } from './browser-sources.ts';

export interface InstallOptions extends Omit<Bringing, 'folder' | 'kill'>, Trial {
  /** The folder of browsers in a data folder. */
  readonly browsers: string;
  /** Installs also if a browser that works is there. */
  readonly force: boolean;
  /** Called with what went wrong with a way, before the next is tried. */
  readonly onFailure: (failure: Failure) => void;
}

export interface Installed {
  readonly executablePath: string;
  readonly version: string;
  /** What brought it. */
  readonly from: string;
  /** False: it was there already, and works. */
  readonly isNew: boolean;
}

/** Why one way brought no browser that works. */
export interface Failure {
  readonly way: Way;
  readonly reason: string;
  /** Whether there was a browser, which did not work. */
  readonly isBrought: boolean;
}

/** No way brought a browser that works. */
export class NotInstalled extends Error {
  readonly failures: readonly Failure[];

  constructor(failures: readonly Failure[]) {
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
export async function installBrowser(options: InstallOptions): Promise<Installed> {
  const { browsers, from, force, signal, onStep, onFailure } = options;
  makeFolder(browsers);
  const ways = waysOf(from);
  if (!force) {
    const there = await workingBrowser(options, ways);
    if (there !== undefined) return { ...there, isNew: false };
  }
  await removeStale(browsers);
  const unfinished = await mkdtemp(join(browsers, UNFINISHED));
  try {
    const failures: Failure[] = [];
    for (const [number, way] of ways.entries()) {
      let isBrought = false;
      if (way.refusal !== undefined) {
        failures.push({ way, reason: way.refusal, isBrought });
        continue;
      }
      try {
        onStep(`Downloading Chromium from ${way.place} (${way.name})`);
        const folder = join(unfinished, String(number));
        await mkdir(folder);
        const browser = await way.bring({ ...options, folder, kill: options.sandbox.self.kill });
        isBrought = true;
        onStep('Checking that Chromium starts and renders a page');
        const version = await tryBrowser(browser, options);
        signal.throwIfAborted();
        const program = relative(browser.folder, browser.executablePath);
        const record = await publish(browsers, browser.folder, { program, version, from: way.name });
        const executablePath = join(browsers, record.folder, program);
        return { executablePath, version, from: way.name, isNew: true };
      } catch (error) {
        signal.throwIfAborted();
        // A full disk or a folder that takes nothing is no fault of a way.
        if (isOfSystem(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        const isUnusable = isBrought || error instanceof UnusableChromium;
        const failure = { way, reason: reason.split('\n')[0] ?? '', isBrought: isUnusable };
        failures.push(failure);
        if (ways.slice(number + 1).some(({ refusal }) => refusal === undefined)) onFailure(failure);
      }
    }
    throw new NotInstalled(failures);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const isOfSystem = (error: unknown): boolean =>
  error instanceof Error &&
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES'].includes(String((error as NodeJS.ErrnoException).code));

/** The browser that is installed, if this version of sonde would install the same and it works. */
async function workingBrowser(
  options: InstallOptions,
  ways: readonly Way[],
): Promise<Omit<Installed, 'isNew'> | undefined> {
  const installed = await readInstalled(options.browsers);
  if (installed === undefined || !ways.some(({ name }) => name === installed.from)) return undefined;
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
  about: Pick<InstallRecord, 'program' | 'version' | 'from'>,
): Promise<InstallRecord> {
  const former = await readRecord(browsers);
  const name = `chromium-${about.version}-${randomBytes(4).toString('hex')}`;
  const record: InstallRecord = { folder: name, ...about, previous: former?.folder ?? null };
  await rename(folder, join(browsers, name));
  const file = join(browsers, `${RECORD}.${name}`);
  // The service may run as another user than the one who installs.
  await writeFile(file, `${JSON.stringify(record)}\n`, { mode: 0o644, flush: true });
  await rename(file, join(browsers, RECORD));
  if (former?.previous) await rm(join(browsers, basename(former.previous)), { recursive: true, force: true });
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
