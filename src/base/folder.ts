/** Makes folders that nobody else may look into. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const errorCode = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Makes one folder; one that is there is as good. */
function makeOneFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

/**
 * Makes a folder, with those above it that are missing; each is its owner's alone. Throws what the system says. (Node's own
 * `recursive` never ends where the folder above is there and takes none, as in /proc.)
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
