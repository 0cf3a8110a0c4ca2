/** Makes names of files and folders from identifiers and paths that came from elsewhere. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Longer names get a hash instead of their end, in bytes. File systems allow 255, and some names get endings. */
const MAX_BYTES = 150;
const KEPT_CHARACTERS = 30;

const encode = (character: string): string =>
  [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Returns a name for one file or folder: letters, digits, `_`, `-` and `.`, which it does not begin with. All other characters are
 * encoded, so different identifiers have different names. UUIDs do not change.
 */
export function toFileName(identifier: string): string {
  const encoded = identifier.replace(/[^\p{L}\p{N}_.-]|^\./gu, encode);
  if (encoded === '') return '%';
  if (Buffer.byteLength(encoded) <= MAX_BYTES) return encoded;
  const hash = createHash('sha256').update(identifier).digest('hex').slice(0, 32);
  return `${[...encoded].slice(0, KEPT_CHARACTERS).join('')}-${hash}`;
}

/** Whether every file system accepts a relative path, and it stays in its folder. */
export const isSafePath = (path: string): boolean =>
  /^[^\\:*?"<>|\p{Cc}]+$/u.test(path) && path.split('/').every((step) => !['', '.', '..'].includes(step));

/** Returns whether a relative path from elsewhere leads out of its folder. */
export const leadsOut = (path: string): boolean => path.split(/[/\\]/).includes('..') || path.includes('\0');

/** Returns the path of a file in a folder. Throws if the relative path leads out of it. */
export function joinInside(folder: string, path: string): string {
  if (leadsOut(path)) throw new Error(`"${path}" leads out of its folder`);
  return join(folder, path);
}
