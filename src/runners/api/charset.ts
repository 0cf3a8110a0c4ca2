/** Finds the charset of a body and decodes it like browsers, and says how far the text can be trusted. */
import { isAscii, isUtf8 } from 'node:buffer';
import { listHeader } from '../http/body-framing.ts';
import type { Header } from '../http/types.ts';
import { findDocumentCharset } from './document-charset.ts';

/** The limits of a text whose charset is in doubt: which assertions it cannot decide. */
export interface Doubt {
  /** A sentence without a full stop. */
  readonly why: string;
  /** True if the ASCII characters of the text are certain. */
  readonly isAsciiCertain: boolean;
}

export interface DecodedText {
  readonly text: string;
  readonly doubt?: Doubt;
  /** The flaws of the charset: sentences without a full stop. */
  readonly notes: readonly string[];
}

/** The characters of the bytes 0x80 to 0x9F in windows-1252: Node's decoder takes them for those of Latin-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
/** Charsets whose bytes below 128 are not only ASCII. TextDecoder knows only the first. */
const NOT_ASCII_BASED = /^(?:iso-2022|utf-?7|hz|scsu|bocu|.*ebcdic|(?:ibm|cp)-?(?:037|500|1\d{3}))/;
/** Their text is hardly ever also valid UTF-8, unlike that of charsets with two bytes a character. */
const SINGLE_BYTE = /^(?:windows|iso-8859|koi8|ibm866|macintosh|x-mac)/;
const ESCAPE = '\u001b$';
const NUL_BETWEEN_ASCII = /(?:[ -~]\0){2}|(?:\0[ -~]){2}/;
const TEXT_CONTROLS: ReadonlySet<number> = new Set([9, 10, 12, 13, 27]);

/** Returns the name of an encoding by its label (https://encoding.spec.whatwg.org/#names-and-labels). */
export function findEncoding(label: string): string | undefined {
  if (label.toLowerCase() === 'x-user-defined') return 'windows-1252';
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Returns whether there are bytes that no text contains (https://mimesniff.spec.whatwg.org/#binary-data-byte). */
export const hasBinaryData = (bytes: Buffer): boolean =>
  bytes.some((byte) => byte < 32 && !TEXT_CONTROLS.has(byte));

/** Decodes a body: by its byte order mark, its Content-Type, its own declaration, or as UTF-8. */
export function decodeText(bytes: Buffer, headers: readonly Header[]): DecodedText {
  const type = findContentType(headers);
  const header = findHeaderCharset(headers);
  const marked = findUnicodeMark(bytes) ?? findUnicodePattern(bytes, header);
  if (marked !== undefined) return decode(bytes, marked, []);
  const labels = [header, /json/.test(type) ? undefined : findDocumentCharset(bytes, type)].filter(
    (label) => label !== undefined,
  );
  const unknown = labels.filter((label) => findEncoding(label) === undefined);
  const notes = unknown.map((label) => `the charset ${JSON.stringify(label.slice(0, 40))} is unknown`);
  const encoding = labels.map(findEncoding).find((found) => found !== undefined);
  // JSON is UTF-8 whatever its header says (RFC 8259).
  const isUtf8Json = /json/.test(type) && isUtf8(bytes) && !/^(?:utf-16|iso-2022)/.test(encoding ?? '');
  if (encoding !== undefined && !isUtf8Json) return decode(bytes, encoding, notes);
  return guess(bytes, unknown[0], notes);
}

/** Reads a body that does not say its charset. */
function guess(bytes: Buffer, unknown: string | undefined, notes: readonly string[]): DecodedText {
  if (isUtf8(bytes)) {
    const decoded = decode(bytes, 'utf-8', notes);
    const isStateful = NOT_ASCII_BASED.test(unknown?.toLowerCase() ?? '');
    if (!isStateful && (decoded.doubt !== undefined || !decoded.text.includes(ESCAPE))) return decoded;
    return doubt(
      decoded,
      `the charset of the body is ${isStateful ? 'unknown' : 'not declared'}`,
      !isStateful,
    );
  }
  const why = `the body ${unknown === undefined ? 'names no charset' : 'names an unknown charset'} and is not UTF-8`;
  return doubt(
    decode(bytes, 'windows-1252', notes),
    why,
    unknown === undefined && !hasBinaryData(bytes) && isAsciiBased(bytes),
  );
}

const doubt = ({ text, notes }: DecodedText, why: string, isAsciiCertain: boolean): DecodedText => ({
  text,
  notes: [...notes, why],
  doubt: { why, isAsciiCertain },
});

function decode(bytes: Buffer, encoding: string, notes: readonly string[]): DecodedText {
  if (encoding === 'utf-32')
    return doubt(
      { text: bytes.toString('latin1'), notes },
      'the body is UTF-32, which browsers cannot read',
      false,
    );
  const text = decodeStrictly(bytes, encoding);
  const isWide = encoding.startsWith('utf-16');
  if (text === undefined) {
    const replaced = { text: new TextDecoder(encoding).decode(bytes), notes };
    return doubt(replaced, `the body is not valid ${encoding}`, !isWide);
  }
  if (!isWide && looksWide(text, bytes))
    return doubt({ text, notes }, `the body looks like UTF-16, but is read as ${encoding}`, false);
  return SINGLE_BYTE.test(encoding) && isUtf8(bytes) && !isAscii(bytes)
    ? doubt({ text, notes }, `the body looks like UTF-8, but is declared as ${encoding}`, true)
    : { text, notes };
}

/** Bytes below 28 are half of the bytes of many scripts in UTF-16, but rare in other text. */
function looksWide(text: string, bytes: Buffer): boolean {
  if (text.includes('\0') && NUL_BETWEEN_ASCII.test(text)) return true;
  let controls = 0;
  for (const byte of bytes) if (byte < 28 && !TEXT_CONTROLS.has(byte)) controls++;
  return controls * 8 > bytes.length;
}

/** Returns false for bytes that may be EBCDIC, where these punctuation marks and digits are control characters. */
function isAsciiBased(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return /[\n -$&->]/.test(text) || (text.match(/[a-z]/gi)?.length ?? 0) * 2 > text.length;
}

function decodeStrictly(bytes: Buffer, encoding: string): string | undefined {
  if (encoding === 'windows-1252')
    return bytes
      .toString('latin1')
      .replace(/[\u0080-\u009f]/g, (one) => WINDOWS_1252[one.charCodeAt(0) - 128] ?? one);
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function findContentType(headers: readonly Header[]): string {
  const written = listHeader(headers, 'content-type').at(-1) ?? '';
  return written.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Returns the last charset, because a later Content-Type takes precedence. */
export function findHeaderCharset(headers: readonly Header[]): string | undefined {
  const values = listHeader(headers, 'content-type');
  return values.map(findParameter).findLast((label) => label !== undefined);
}

const findParameter = (value: string): string | undefined =>
  /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i
    .exec(value)
    ?.slice(1)
    .find((label) => label !== undefined)
    ?.trim();

function findUnicodeMark(bytes: Buffer): string | undefined {
  const start = bytes.subarray(0, 4).toString('hex');
  if (start === 'fffe0000' || start === '0000feff') return 'utf-32';
  if (start.startsWith('efbbbf')) return 'utf-8';
  if (start.startsWith('fffe')) return 'utf-16le';
  return start.startsWith('feff') ? 'utf-16be' : undefined;
}

/** Finds UTF-16 and UTF-32 by the zero bytes of ASCII characters at the start, unless another charset is declared. */
function findUnicodePattern(bytes: Buffer, declared: string | undefined): string | undefined {
  const isWide = findEncoding(declared ?? '')?.startsWith('utf-16') ?? declared === undefined;
  if (!isWide) return undefined;
  const zeros = [...bytes.subarray(0, 4)].map((byte) => (byte === 0 ? '0' : 'x')).join('');
  switch (zeros) {
    case 'x0x0':
      return 'utf-16le';
    case '0x0x':
      return 'utf-16be';
    case 'x000':
    case '000x':
      return 'utf-32';
    default:
      return undefined;
  }
}
