/** Converts an uploaded project folder from a gzipped tar file to the ZIP archive that suites are stored as. */
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import { extract } from 'tar-stream';
import { nextTick } from '../../../base/clock.ts';
import { invalid, Problem, violation } from './problem.ts';

/** Limits of a project, unpacked. */
const MAX_BYTES = 184 * 1024 * 1024;
const MAX_FILES = 10_000;

/** Whether a normalized path stays in the folder that the archive is unpacked to, on any system. */
const isContained = (path: string): boolean =>
  !posix.isAbsolute(path) && path !== '.' && !path.startsWith('..') && !/[\\\p{Cc}]|^[A-Za-z]:/u.test(path);

const refusal = (message: string) => invalid([violation('body', [], 'archive', message)]);

/**
 * Returns the ZIP archive of the regular files. Works in parts of the stream, so that other requests go on.
 * Throws `Problem` 400 for what is no gzipped tar file, for a link or a device in it, and beyond the limits.
 */
export async function zipOfTar(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  const zip = new Zip((error, part) => {
    if (error) throw error;
    parts.push(part);
  });
  let bytes = 0;
  const names = new Set<string>();
  const entries = extract();
  async function pack(): Promise<void> {
    for await (const entry of entries) {
      const { name, type } = entry.header;
      if (type === 'directory') {
        entry.resume();
        continue;
      }
      if (type !== 'file') throw refusal(`contains the ${type} "${name}": replace it with a file`);
      if (names.size === MAX_FILES) throw refusal(`has more than ${MAX_FILES} files`);
      const path = posix.normalize(name);
      if (!isContained(path))
        throw refusal(`contains the name ${JSON.stringify(name)}, which leads out of it`);
      if (names.has(path)) throw refusal(`contains "${name}" twice`);
      names.add(path);
      // Entries that have arrived already would otherwise be packed in one turn.
      await nextTick();
      const file = entry.header.size === 0 ? new ZipPassThrough(path) : new ZipDeflate(path);
      zip.add(file);
      for await (const part of entry) {
        bytes += (part as Buffer).length;
        if (bytes > MAX_BYTES) throw refusal(`is larger than ${MAX_BYTES / 1024 ** 2} MB unpacked`);
        file.push(part as Buffer);
      }
      file.push(new Uint8Array(), true);
    }
  }
  const outcomes = await Promise.allSettled([
    pack(),
    pipeline(Readable.from(chunks), createGunzip(), entries),
  ]);
  const reasons = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason as unknown] : [],
  );
  const problem = reasons.find((reason) => reason instanceof Problem);
  if (problem !== undefined) throw problem;
  if (reasons.length > 0) throw refusal('must be a complete tar file, compressed with gzip');
  zip.end();
  return Buffer.concat(parts);
}
