/** Reads files whoever put them there: none that never ends, has no bound or waits for a writer holds the process. */
import { readFileSync, statSync } from 'node:fs';

/** What is larger was not written by us or by hand; in bytes. */
const MAX_BYTES = 1_000_000;

export const IS_FOLDER = 'is a folder';

/** Why a file that is there is not read, as the rest of a sentence; undefined where nothing keeps one from it. */
export function unreadableReason(path: string, most = MAX_BYTES): string | undefined {
  const stats = statSync(path);
  if (!stats.isFile()) return stats.isDirectory() ? IS_FOLDER : 'is no regular file';
  return stats.size > most ? `is larger than ${most / 1_000_000} MB` : undefined;
}

/** The text of a small regular file. Throws what the system says, and an error that says `unreadable`'s words. */
export function readSmallFile(path: string, most = MAX_BYTES): string {
  const reason = unreadableReason(path, most);
  if (reason !== undefined) throw Object.assign(new Error(`${path} ${reason}`), { code: reason });
  return readFileSync(path, 'utf8');
}
