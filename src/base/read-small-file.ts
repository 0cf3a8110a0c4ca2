/** Reads files whoever put them there: none that never ends, has no bound or waits for a writer holds the process. */
import { readFileSync, statSync } from 'node:fs';

/** What is larger was not written by us or by hand; in bytes. */
const MOST = 1_000_000;

export const IS_FOLDER = 'is a folder';

/** Why a file that is there is not read, as the rest of a sentence; undefined where nothing keeps one from it. */
export function unreadable(path: string, most = MOST): string | undefined {
  const found = statSync(path);
  if (!found.isFile()) return found.isDirectory() ? IS_FOLDER : 'is no regular file';
  return found.size > most ? `is larger than ${most / 1_000_000} MB` : undefined;
}

/** The text of a small regular file. Throws what the system says, and an error that says `unreadable`'s words. */
export function readSmallFile(path: string, most = MOST): string {
  const why = unreadable(path, most);
  if (why !== undefined) throw Object.assign(new Error(`${path} ${why}`), { code: why });
  return readFileSync(path, 'utf8');
}
