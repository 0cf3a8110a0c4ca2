/** Resolves the target of a report and writes it: a file atomically, anything else as a stream. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';

/** A resolved target. */
export interface Target {
  /** Equal for two names of the same target. */
  readonly path: string;
  /** Whether it is written to instead of replaced: a pipe, a device, an open file of this process. */
  readonly isStream: boolean;
}

/** Open files of a process: replacing such a file would disconnect its other writers. */
const OPEN_FILE = /^\/(?:dev|proc\/[^/]+)\/fd\//;
const MAX_LINKS = 40;

const statOf = (path: string, stat: (path: string) => Stats): Stats | undefined => {
  try {
    return stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Returns the real path of an existing folder, so that two paths to it are equal. */
const realFolder = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
};

/** Resolves the symbolic links of a name. Throws system errors. */
export function targetOf(cwd: string, name: string): Target {
  let path = resolve(cwd, name);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (OPEN_FILE.test(path)) return { path, isStream: true };
    path = join(realFolder(dirname(path)), basename(path));
    const here = statOf(path, lstatSync);
    if (here?.isSymbolicLink()) path = resolve(dirname(path), readlinkSync(path));
    else return { path, isStream: here !== undefined && !here.isFile() && !here.isDirectory() };
  }
  throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
}

/** Errors that prevent replacing a file, although writing to it may work. */
const NOT_REPLACEABLE = new Set(['EACCES', 'EPERM', 'EBUSY', 'EROFS', 'EXDEV']);

/**
 * Replaces a file atomically: readers see the old or the new text, also after a crash. Synchronous, so that no signal
 * interrupts it. Throws system errors.
 */
export function replaceFile(path: string, text: string): void {
  const before = statOf(path, statSync);
  if (before?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  // Fails for a read-only file, which must not be replaced.
  if (before) closeSync(openSync(path, constants.O_WRONLY));
  try {
    replace(path, text, before);
  } catch (error) {
    if (!before || !NOT_REPLACEABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(path, text);
  }
}

function replace(path: string, text: string, before: Stats | undefined): void {
  const folder = dirname(path);
  const fresh = join(folder, `.sonde-${randomUUID()}.tmp`);
  const file = openSync(fresh, 'wx', 0o666);
  try {
    try {
      writeFileSync(file, text);
      if (before) keepModeAndOwner(file, before);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/** Copies the mode, and the owner if permitted. */
function keepModeAndOwner(file: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only root may change the owner.
  }
  fchmodSync(file, mode & 0o7777);
}

/** Makes a rename durable; not every system supports it. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The file itself is already durable.
  }
}

/** Time without progress after which writing fails, in ms. */
const STALLED_MS = 5_000;
const PAUSE_MS = 20;

/** Appends to a pipe or device. Fails instead of waiting forever: a pipe may have no reader. */
export async function writeStream(path: string, text: string, clock: Clock): Promise<void> {
  const { O_WRONLY, O_APPEND, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  const file = await open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY);
  try {
    const bytes = Buffer.from(text);
    let lastMoved = clock.monotonic();
    for (let done = 0; done < bytes.length; ) {
      try {
        done += (await file.write(bytes, done)).bytesWritten;
        lastMoved = clock.monotonic();
      } catch (error) {
        const isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
        if (!isFull || clock.monotonic() - lastMoved > STALLED_MS) throw error;
        await clock.sleep(PAUSE_MS);
      }
    }
  } finally {
    await file.close();
  }
}
