/** Reads files only if they are in given folders after all links are resolved. */
import { constants } from 'node:fs';
import { lstat, open, realpath } from 'node:fs/promises';
import { dirname, sep } from 'node:path';

/** A file that must not be read. The message is the end of a sentence: `is larger than 10 MB`. */
export class RefusedFileError extends Error {}

/** Whether an absolute path is a folder or below it. Both have no links. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);

/** Whether a path leads into one of the folders. Says nothing about whether a file outside exists. */
export async function isContained(path: string, folders: readonly string[]): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return folders.some((folder) => isWithin(real, folder));
  // A link that cannot be resolved may lead anywhere.
  if (await lstat(path).catch(() => undefined)) return false;
  const parent = dirname(path);
  return parent !== path && isContained(parent, folders);
}

/** Folders whose files are the state of the system, not data. */
const SYSTEM = ['/proc', '/sys'];

/**
 * Reads a regular file of at most `maxBytes` that is in one of the folders, whose paths have no links. Throws RefusedFileError for
 * any other file, and the system's error.
 */
export async function readContainedFile(
  path: string,
  folders: readonly string[],
  maxBytes: number,
): Promise<Buffer> {
  const real = await realpath(path);
  if (!folders.some((folder) => isWithin(real, folder))) throw new RefusedFileError('is outside the folder');
  if (SYSTEM.some((folder) => isWithin(real, folder)))
    throw new RefusedFileError('is a file of the system, which is never read');
  const found = await lstat(real);
  if (found.isDirectory()) throw new RefusedFileError('is a folder');
  if (!found.isFile()) throw new RefusedFileError('is a device, pipe or socket, not a regular file');
  // Another process may replace the file or a folder of its path meanwhile, by a link or a pipe.
  const file = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const opened = await file.stat();
    const isSame = opened.ino === found.ino && opened.dev === found.dev && (await realpath(real)) === real;
    if (!isSame || !opened.isFile()) throw new RefusedFileError('changed while it was read');
    const bytes = Buffer.allocUnsafe(Math.min(opened.size, maxBytes) + 1);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) return bytes.subarray(0, length);
      length += bytesRead;
    }
    throw new RefusedFileError(
      length > maxBytes ? `is larger than ${maxBytes / 1_000_000} MB` : 'changed while it was read',
    );
  } finally {
    await file.close();
  }
}
