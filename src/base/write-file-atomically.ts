/** Writes small files atomically, for their owner only. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './folder.ts';

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
