/** Moves a file: renames it within a file system, or copies it to another one. */
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

/**
 * Moves a file. A copy is streamed and readable only by its owner. Throws the system's error and leaves the original
 * then.
 */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to);
    await rm(from, { force: true });
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  try {
    await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(to, { force: true });
    throw error;
  }
}
