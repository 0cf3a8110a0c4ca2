/** Removes escapes of JSON, HTML and URLs, in any order and nesting. */

/** A text without escapes, and the origin of its characters. */
export interface UnescapedText {
  readonly text: string;
  /** Start and end of each character of `text` in the original. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

const ESCAPE =
  /\\+(?:u[\da-f]{4}|[\s\S])?|(?:%(?:25)*[\da-f]{2})+|&(?:amp;)*(?:lt|gt|quot|apos|#0{0,9}\d{1,7}|#x0{0,9}[\da-f]{1,6});|&(?:amp;)+/gi;
const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'" };
/** Maximum nesting of formats. Deeper escapes are not removed. */
const MAX_LAYERS = 8;

/** Removes all escapes in linear time. A plus sign counts as a space. */
export function unescapeText(text: string): UnescapedText {
  const offsets = Array.from({ length: text.length }, (_, at) => at);
  let plain: UnescapedText = { text, starts: offsets, ends: offsets.map((at) => at + 1) };
  for (let layer = 0; layer < MAX_LAYERS && /[\\%&]/.test(plain.text); layer += 1) {
    const next = removeLayer(plain);
    if (next.text === plain.text) break;
    plain = next;
  }
  return { ...plain, text: plain.text.replaceAll('+', ' ') };
}

function removeLayer({ text, starts, ends }: UnescapedText): UnescapedText {
  const parts: string[] = [];
  const next: { starts: number[]; ends: number[] } = { starts: [], ends: [] };
  /** Adds characters that replace the original range from `from` to `to`. */
  const add = (part: string, from: number, to: number) => {
    parts.push(part);
    for (let unit = 0; unit < part.length; unit += 1) {
      next.starts.push(starts[from] ?? 0);
      next.ends.push(ends[to - 1] ?? 0);
    }
  };
  const copy = (from: number, to: number) => {
    parts.push(text.slice(from, to));
    for (let at = from; at < to; at += 1) {
      next.starts.push(starts[at] ?? 0);
      next.ends.push(ends[at] ?? 0);
    }
  };
  let at = 0;
  for (const { 0: sequence, index } of text.matchAll(ESCAPE)) {
    copy(at, index);
    at = index + sequence.length;
    if (sequence.startsWith('%')) addDecodedBytes(sequence, index, add);
    else add(sequence.startsWith('&') ? decodeEntity(sequence) : decodeBackslashes(sequence), index, at);
  }
  copy(at, text.length);
  return { text: parts.join(''), ...next };
}

/** Returns the character after a row of backslashes. */
function decodeBackslashes(sequence: string): string {
  const sign = sequence.replace(/^\\+/, '');
  if (sign.length > 1) return String.fromCharCode(Number.parseInt(sign.slice(1), 16));
  return CONTROLS[sign] ?? sign;
}

function decodeEntity(sequence: string): string {
  const name = sequence
    .replace(/^&(?:amp;)*/i, '')
    .slice(0, -1)
    .toLowerCase();
  if (name === '') return '&';
  if (!name.startsWith('#')) return ENTITIES[name] ?? '';
  const point = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point <= 0x10ffff ? String.fromCodePoint(point) : sequence;
}

/** Decodes percent-encoded UTF-8. Invalid bytes stay as `%` and two lower-case digits. */
function addDecodedBytes(
  sequence: string,
  index: number,
  add: (part: string, from: number, to: number) => void,
): void {
  const codes = sequence.match(/%(?:25)*[\da-f]{2}/gi) ?? [];
  const digits = codes.map((code) => code.slice(-2).toLowerCase());
  const bytes = Buffer.from(digits.join(''), 'hex');
  let offset = index;
  for (let at = 0; at < codes.length; ) {
    const encoded = bytes.subarray(at, at + utf8Width(bytes[at] ?? 0));
    const sign = encoded.toString('utf8');
    // U+FFFD may also be encoded validly.
    const isText = Buffer.from(sign).equals(encoded);
    const length = isText ? encoded.length : 1;
    const width = codes.slice(at, at + length).reduce((sum, code) => sum + code.length, 0);
    add(isText ? sign : `%${digits[at]}`, offset, offset + width);
    offset += width;
    at += length;
  }
}

/** Returns the length of a UTF-8 character by its first byte. */
const utf8Width = (byte: number): number => (byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4);
