/** Removes the content and transfer encodings of a body. Bytes that are still encoded are no complete body. */
import { isUtf8 } from 'node:buffer';
import zlib from 'node:zlib';
import { complete, incomplete, type Observed } from '../assertions/observed.ts';
import { listHeader, listTransferCodings } from '../http/body-framing.ts';
import { MAX_BODY } from '../http/response-reader.ts';
import type { Header } from '../http/types.ts';
import { findEncoding, hasBinaryData } from './charset.ts';

export interface UnpackedBody {
  readonly bytes: Observed<Buffer>;
  /** The flaws of the encoding: sentences without a full stop. */
  readonly notes: readonly string[];
}

/** More encodings are rare, and each costs time and memory. */
const MAX_ENCODINGS = 3;

/** With `info`, the functions of zlib return their engine, too, which counts the bytes that it has read. */
const OPTIONS = { maxOutputLength: MAX_BODY, info: true };
interface Decompressed {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/** Exists since Node 22.15. */
const { zstdDecompressSync: unzstd } = zlib as { readonly zstdDecompressSync?: typeof zlib.unzipSync };

type Decoder = (bytes: Buffer) => Buffer;

/** Throws for data after the end of the compressed data, which zlib ignores. */
function decompress(decode: typeof zlib.unzipSync, bytes: Buffer, isTail = isNotEmpty): Buffer {
  // Its declared type does not know `info`.
  const { buffer, engine } = decode(bytes, OPTIONS) as unknown as Decompressed;
  const rest = bytes.subarray(engine.bytesWritten);
  if (!isTail(rest)) return buffer;
  const size = rest.length === 1 ? '1 byte follows' : `${rest.length} bytes follow`;
  throw new Error(`${size} the end of the compressed data`);
}

const isNotEmpty = (rest: Buffer): boolean => rest.length > 0;
/** Zeros may pad gzip. */
const isNotPadding = (rest: Buffer): boolean => rest.some((byte) => byte !== 0);

/** Reads all members of gzip; refuses other data after them. */
const gunzip: Decoder = (bytes) => decompress(zlib.unzipSync, bytes, isNotPadding);

const DECODERS: Readonly<Record<string, Decoder>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: (bytes) => decompress(zlib.brotliDecompressSync, bytes),
  // The standard requires zlib's header, but some servers omit it.
  deflate: (bytes) => decompress(hasZlibHeader(bytes) ? zlib.inflateSync : zlib.inflateRawSync, bytes),
  ...(unzstd && { zstd: (bytes) => decompress(unzstd, bytes) }),
};

const hasZlibHeader = (bytes: Buffer): boolean =>
  bytes.length > 1 && (bytes[0] ?? 0) % 16 === 8 && bytes.readUInt16BE() % 31 === 0;

/** Registered encodings that Node may not decode: a body with one is encoded, even if it looks like text. */
const REGISTERED: ReadonlySet<string> = new Set(
  'zstd compress x-compress aes128gcm dcb dcz exi pack200-gzip'.split(' '),
);

/** Names that servers send for a body without an encoding, besides charsets. */
const NO_ENCODINGS: ReadonlySet<string> = new Set(['none', 'binary', '7bit', '8bit']);

/** How text looks that still has an encoding which turns everything into text. */
const ENCODED_TEXTS: Readonly<Record<string, RegExp>> = {
  base64: /^[\w+/=\s-]*$/,
  'quoted-printable': /=(?:[\da-f]{2}|\r?\n)/i,
  'aws-chunked': /^[\da-f]+(?:;chunk-signature=[\da-f]+)?\r?\n/i,
  chunked: /^[\da-f]+(?:;.*)?\r?\n/i,
};

/** The first bytes of compressed data. */
const MAGIC_NUMBERS = { gzip: Buffer.of(0x1f, 0x8b, 0x08), zstd: Buffer.of(0x28, 0xb5, 0x2f, 0xfd) };

/**
 * Decodes the known encodings, and passes unknown content encodings like browsers do, but only if the body is plainly
 * text. An unknown transfer coding is never passed: it is no property of the document, but of the bytes received.
 */
export function unpackBody(body: Buffer, headers: readonly Header[]): UnpackedBody {
  if (body.length === 0) return { bytes: complete(body), notes: [] };
  const unusable = (why: string): UnpackedBody => ({ bytes: incomplete(Buffer.alloc(0), why), notes: [] });
  const codings = listRemainingCodings(headers);
  const unknown = codings.find((name) => !Object.hasOwn(DECODERS, name));
  if (unknown !== undefined)
    return unusable(`the body has the transfer coding ${quote(unknown)}, which sonde cannot decode`);
  const encodings = [...listContentEncodings(headers), ...codings];
  const known = encodings.filter((name) => Object.hasOwn(DECODERS, name));
  if (known.length > MAX_ENCODINGS)
    return unusable(`the body has ${known.length} content encodings: at most ${MAX_ENCODINGS} are decoded`);
  let bytes = body;
  try {
    for (const name of known.toReversed()) bytes = DECODERS[name]?.(bytes) ?? bytes;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return unusable(`the body cannot be decompressed (${known.join(', ')}): ${why}`);
  }
  const others = encodings.filter((name) => !Object.hasOwn(DECODERS, name));
  const encoded = others.find((name) => isStillEncoded(bytes, name));
  if (encoded !== undefined)
    return unusable(`the body has the content encoding ${quote(encoded)}, which sonde cannot decode`);
  const compression = Object.entries(MAGIC_NUMBERS).find(([, magic]) =>
    bytes.subarray(0, magic.length).equals(magic),
  );
  if (compression !== undefined)
    return unusable(`the body is compressed (${compression[0]}), but its Content-Encoding does not say so`);
  const notes = others.map((name) => `the content encoding ${quote(name)} has no meaning, so it is ignored`);
  return { bytes: complete(bytes), notes: [...new Set(notes)] };
}

const quote = (name: string): string => JSON.stringify(name.slice(0, 40));

/** Returns the encodings in the order of their application, in lower case. */
const listContentEncodings = (headers: readonly Header[]): string[] =>
  listHeader(headers, 'content-encoding')
    .map((name) => name.toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');

/** Returns the transfer codings without the chunks, which the reader of the response has removed. */
function listRemainingCodings(headers: readonly Header[]): string[] {
  const codings = listTransferCodings(headers);
  while (codings.at(-1) === 'chunked') codings.pop();
  return codings;
}

function isStillEncoded(bytes: Buffer, encoding: string): boolean {
  if (NO_ENCODINGS.has(encoding) || findEncoding(encoding) !== undefined) return false;
  return (
    REGISTERED.has(encoding) ||
    !isUtf8(bytes) ||
    hasBinaryData(bytes) ||
    (ENCODED_TEXTS[encoding]?.test(bytes.toString('latin1')) ?? false)
  );
}
