/** Reads the files of a tar archive, as npm clients pack them: regular files with names of the ustar and pax formats. */
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;
const REGULAR = ['', '0', '\0'];

/** Returns the files by path. Throws RangeError if the archive ends early. */
export function readTar(archive: Uint8Array): Readonly<Record<string, Uint8Array>> {
  const bytes = archive[0] === 0x1f && archive[1] === 0x8b ? gunzipSync(archive) : Buffer.from(archive);
  const files: Record<string, Uint8Array> = {};
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length && bytes[at] !== 0; ) {
    const text = (from: number, length: number): string =>
      bytes.toString('utf8', at + from, at + from + length).replace(/\0[\s\S]*$/, '');
    const size = Number.parseInt(text(124, 12).trim() || '0', 8);
    const type = text(156, 1);
    const content = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (content.length < size) throw new RangeError('the archive ends early');
    const prefix = text(345, 155);
    const name = longName ?? (prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`);
    longName = undefined;
    if (type === 'x') longName = content.toString().match(/^\d+ path=(.*)$/m)?.[1];
    else if (type === 'L') longName = content.toString().replace(/\0+$/, '');
    else if (REGULAR.includes(type)) files[name.replace(/^\.\//, '')] = content;
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}
