/** Creates folders that only their owner can read. */
import { mkdirSync, statSync } from 'node:fs';
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
