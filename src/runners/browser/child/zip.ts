/** Reads a ZIP archive entry by entry from an open file. Only its directory and the current part are in memory. */

import { once } from 'node:events';
import { readSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { constants, createDeflateRaw, createInflateRaw } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';

export interface ZipEntry {
  readonly name: string;
  /** 0: stored. 8: deflated. */
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly headerAt: number;
}

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT_BYTES = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const HEADER_SIGNATURE = 0x04034b50;
const HEADER_BYTES = 30;
/** Placeholder for a value in a ZIP64 record. */
const IN_ZIP64_RECORD = 0xffffffff;
/** A directory of this size has far more entries than any trace. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;
const ENCRYPTED = 1;
const PART_BYTES = 256 * 1024;

const zipError = () => new Error('it is not a ZIP archive, or it is incomplete');

function readAt(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let from = 0; from < length; ) {
    const count = readSync(fd, bytes, from, length - from, at + from);
    if (count === 0) throw zipError();
    from += count;
  }
  return bytes;
}

export function readZipEntries(fd: number, size: number): ZipEntry[] {
  const tailBytes = Math.min(size, END_BYTES + MAX_COMMENT_BYTES);
  const tail = readAt(fd, size - tailBytes, tailBytes);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw zipError();
  const listBytes = tail.readUInt32LE(end + 12);
  const listAt = tail.readUInt32LE(end + 16);
  if (listAt === IN_ZIP64_RECORD || listBytes > MAX_LIST_BYTES || listAt + listBytes > size) throw zipError();
  const list = readAt(fd, listAt, listBytes);
  const entries: ZipEntry[] = [];
  for (let at = 0; at + ENTRY_BYTES <= list.length; ) {
    if (list.readUInt32LE(at) !== ENTRY_SIGNATURE) throw zipError();
    const nameBytes = list.readUInt16LE(at + 28);
    const packedBytes = list.readUInt32LE(at + 20);
    const bytes = list.readUInt32LE(at + 24);
    const method = list.readUInt16LE(at + 10);
    const headerAt = list.readUInt32LE(at + 42);
    const isUnsupported = (list.readUInt16LE(at + 8) & ENCRYPTED) !== 0 || (method !== 0 && method !== 8);
    if (isUnsupported || [packedBytes, bytes, headerAt].includes(IN_ZIP64_RECORD)) throw zipError();
    const name = list.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    entries.push({ name, method, packedBytes, bytes, headerAt });
    at += ENTRY_BYTES + nameBytes + list.readUInt16LE(at + 30) + list.readUInt16LE(at + 32);
  }
  return entries;
}

export function readZipEntry(fd: number, { method, packedBytes, headerAt }: ZipEntry): AsyncIterable<Buffer> {
  const header = readAt(fd, headerAt, HEADER_BYTES);
  if (header.readUInt32LE(0) !== HEADER_SIGNATURE) throw zipError();
  const from = headerAt + HEADER_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = Readable.from(readParts(fd, from, packedBytes));
  return method === 0 ? packed : pipeline(packed, createInflateRaw(), () => {});
}

export function* readParts(fd: number, from: number, length: number): Generator<Buffer> {
  for (let done = 0; done < length; done += PART_BYTES)
    yield readAt(fd, from + done, Math.min(PART_BYTES, length - done));
}

const EMPTY = new Uint8Array();

/** Compresses with a stream, because the library's own way is several times slower. */
class Deflated extends ZipPassThrough {
  readonly #deflater = createDeflateRaw({ level: constants.Z_DEFAULT_COMPRESSION });
  readonly #over: Promise<unknown>;

  constructor(name: string) {
    super(name);
    this.compression = 8;
    this.#deflater.on('data', (part: Buffer<ArrayBuffer>) => this.ondata(null, part, false));
    this.#over = once(this.#deflater, 'end').then(() => this.ondata(null, EMPTY, true));
    // `end` reports the error to its caller.
    this.#over.catch(() => {});
  }

  protected override process(part: Uint8Array, isLast: boolean): void {
    if (part.length > 0) this.#deflater.write(part);
    if (isLast) this.#deflater.end();
  }

  async drain(): Promise<void> {
    if (this.#deflater.writableNeedDrain) await once(this.#deflater, 'drain');
  }

  finished(): Promise<unknown> {
    return this.#over;
  }
}

export function createZipWriter(onPart: (part: Uint8Array) => void) {
  const zip = new Zip((error, part) => {
    if (error) throw error;
    if (part.length > 0) onPart(part);
  });
  return {
    /** Starts an entry after the previous one has ended. `isPacked`: the content is already compressed. */
    begin(name: string, isPacked: boolean) {
      const file = isPacked ? new ZipPassThrough(name) : new Deflated(name);
      zip.add(file);
      return {
        /** Resolves when the entry accepts more data. */
        async write(part: Uint8Array): Promise<void> {
          file.push(part);
          if (file instanceof Deflated) await file.drain();
        },
        async end(): Promise<void> {
          file.push(EMPTY, true);
          if (file instanceof Deflated) await file.finished();
        },
      };
    },
    end: () => zip.end(),
  };
}
