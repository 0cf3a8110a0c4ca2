/** Reads small files safely: an endless file, a huge file or a pipe does not block the process. */
import { readFileSync, statSync } from 'node:fs';

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
