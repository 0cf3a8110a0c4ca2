/** Creates, reads and writes files and folders that only their owner can read. */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const errorCode = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Creates one folder unless it exists. */
function makeOneFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/**
 * Creates a folder and its missing parents, for their owner only. Throws the system's error. The `recursive` option
 * of Node never returns if the parent exists but accepts no folder, as in /proc.
 */
export function makeFolder(path: string): void {
  try {
    makeOneFolder(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolder(dirname(path));
    makeOneFolder(path);
  }
}

/** Larger files were not written by sonde or by hand; in bytes. */
const MAX_BYTES = 1_000_000;

export const IS_FOLDER = 'is a folder';

/** Returns why an existing file is not read, as the end of a sentence; undefined if it can be read. */
export function unreadableReason(path: string, maxBytes = MAX_BYTES): string | undefined {
  const stats = statSync(path);
  if (!stats.isFile()) return stats.isDirectory() ? IS_FOLDER : 'is no regular file';
  return stats.size > maxBytes ? `is larger than ${maxBytes / 1_000_000} MB` : undefined;
}

/** Reads a small regular file. Throws the system's error, or an error with the reason of `unreadableReason`. */
export function readSmallFile(path: string, maxBytes = MAX_BYTES): string {
  const reason = unreadableReason(path, maxBytes);
  if (reason !== undefined) throw Object.assign(new Error(`${path} ${reason}`), { code: reason });
  return readFileSync(path, 'utf8');
}

/**
 * Replaces a file atomically (mode 0600) and creates its folder. Readers see the old or the new file; of two writers
 * the last wins. Throws the system's error and leaves no temporary file. It does not sync the disk, because the data
 * can be fetched again.
 */
export function writeFileAtomically(path: string, text: string): void {
  makeFolder(dirname(path));
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
