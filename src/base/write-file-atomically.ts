/** Writes small files in one step, for their owner alone. */
import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './folder.ts';

/**
 * Puts a text in a file's place in one step (mode 0600), and makes its folder: whoever reads it meanwhile finds the old one
 * or the new one, and of two who write at once the later counts. Throws what the system says, and leaves nothing then. For
 * what can be learnt again: it isn't waited for until the disk has it.
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
