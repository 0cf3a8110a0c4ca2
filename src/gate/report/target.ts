/** Where a report goes, and putting it there: a file in one step, anything else as a stream. */
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

/** A place that a name leads to. */
export interface Target {
  /** The same for two names that lead to the same place. */
  readonly path: string;
  /** What is not replaced but written to: a pipe, a device, an open file of this process. */
  readonly isStream: boolean;
}

/** What a process has open already: to replace the file behind it would take it away from whoever writes to it. */
const OPEN_FILE = /^\/(?:dev|proc\/[^/]+)\/fd\//;
const MOST_LINKS = 40;

const statOf = (path: string, stat: (path: string) => Stats): Stats | undefined => {
  try {
    return stat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** A folder by its own name, where it is there: two ways into it must not look like two places. */
const realFolder = (folder: string): string => {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
};

/** Follows the links of a name. Throws the system's errors. */
export function targetOf(cwd: string, name: string): Target {
  let path = resolve(cwd, name);
  for (let links = 0; links < MOST_LINKS; links += 1) {
    if (OPEN_FILE.test(path)) return { path, isStream: true };
    path = join(realFolder(dirname(path)), basename(path));
    const here = statOf(path, lstatSync);
    if (here?.isSymbolicLink()) path = resolve(dirname(path), readlinkSync(path));
    else return { path, isStream: here !== undefined && !here.isFile() && !here.isDirectory() };
  }
  throw Object.assign(new Error('too many links'), { code: 'ELOOP' });
}

/** What says that a file cannot be replaced though it could perhaps be written: its folder, or what it is mounted from. */
const NOT_REPLACEABLE = new Set(['EACCES', 'EPERM', 'EBUSY', 'EROFS', 'EXDEV']);

/**
 * Replaces a file in one step: whoever reads it, and whoever comes after a crash, finds the old text or the new one whole.
 * Synchronous, so that no signal comes in between and leaves a half. Throws the system's errors.
 */
export function replaceFile(path: string, text: string): void {
  const before = statOf(path, statSync);
  if (before?.isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  // Whose file may only be read wants it to stay.
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
      if (before) keep(file, before);
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

/** Mode and owner stay; the owner only where that is allowed. */
function keep(file: number, { mode, uid, gid }: Stats): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only the superuser gives files away.
  }
  fchmodSync(file, mode & 0o7777);
}

/** Makes a new name last; not every system can. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The file itself is safe.
  }
}

/** How long a reader may take nothing, in ms. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 20;

/** Writes to what is no regular file, at its end, without ever waiting for good: a pipe may have no reader. */
export async function writeTo(path: string, text: string, clock: Clock): Promise<void> {
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
        if (!isFull || clock.monotonic() - lastMoved > PATIENCE_MS) throw error;
        await clock.sleep(PAUSE_MS);
      }
    }
  } finally {
    await file.close();
  }
}
