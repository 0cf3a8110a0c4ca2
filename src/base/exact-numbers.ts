/**
 * Preserves numbers as they were written where JavaScript would change them: 12345678901234567890, 1.0, 1e400. A reviver
 * of JSON.parse gets the written text only from Node 21 on, and lossless parsers return objects in place of numbers.
 */

/** The original text of numbers, by object or array and then by key or index. */
const writtenNumbers = new WeakMap<object, Map<string, string>>();
let hasWrittenNumbers = false;

/** Matches JSON with a number that JavaScript may not write back unchanged. Times in strings do not match. */
const INEXACT_NUMBER = /(?:^|[[,:\s])(?:-0|-?\d[\d.]{15,}|-?\d+\.\d*0|-?\d[\d.]*[eE][-+]?\d+)(?=[,\]}\s]|$)/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** Parses JSON like JSON.parse and remembers how its numbers were written. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!INEXACT_NUMBER.test(text)) return value;
  const mark = globalThis.crypto.randomUUID();
  const marked: unknown = JSON.parse(markNumbers(text, mark));
  if (typeof marked !== 'object' || marked === null) return value;
  // A list instead of recursion, because the server chooses the nesting depth.
  for (const open: object[] = [marked]; open.length > 0; ) {
    const holder = open.pop() as Record<string, unknown>;
    for (const [key, each] of Object.entries(holder)) {
      if (typeof each === 'object' && each !== null) open.push(each);
      else if (typeof each === 'string' && each.startsWith(mark))
        rememberNumber(holder, key, each.slice(mark.length));
    }
  }
  return marked;
}

/** Replaces each number that would change in a JSON text by a marked string. */
function markNumbers(text: string, mark: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = findStringEnd(text, at);
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = at;
      const [number = ''] = NUMBER.exec(text) ?? [];
      if (String(Number(number)) !== number) {
        pieces.push(text.slice(done, at), `"${mark}${number}"`);
        done = at + number.length;
      }
      at += number.length - 1;
    }
  }
  return pieces.join('') + text.slice(done);
}

/**
 * Returns the end of the JSON string that starts at a quote. A regular expression would overflow the stack on a long
 * string.
 */
export function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text[before - 1] === '\\') before--;
    if ((end - before) % 2 === 0) return end;
  }
}

function rememberNumber(holder: object, key: string, number: string): void {
  const property = { value: Number(number), writable: true, enumerable: true, configurable: true };
  Object.defineProperty(holder, key, property);
  const numbers = writtenNumbers.get(holder) ?? new Map<string, string>();
  writtenNumbers.set(holder, numbers.set(key, number));
  hasWrittenNumbers = true;
}

/** Returns the original text of the number at a key, if JavaScript would write it differently. */
export function getWrittenNumber(holder: object, key: string): string | undefined {
  const number = hasWrittenNumbers ? writtenNumbers.get(holder)?.get(key) : undefined;
  // The text is outdated if the value was replaced.
  return number !== undefined && Object.is(Number(number), Reflect.get(holder, key)) ? number : undefined;
}

/** Returns the original text if the number lost digits or exceeds the range of JavaScript. */
export function getLossyNumber(holder: object, key: string): string | undefined {
  const number = getWrittenNumber(holder, key);
  if (number === undefined) return undefined;
  const digits = number
    .replace(/[eE].*/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length > 15 || !Number.isFinite(Number(number)) ? number : undefined;
}

/**
 * Returns the digits of a number beyond the safe range of integers, as they were written at a key if they were parsed
 * exactly.
 */
export function getLargeInteger(value: unknown, holder?: object, key = ''): string | undefined {
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  return (holder && getWrittenNumber(holder, key)) ?? String(value);
}

/** Copies the original text of a number to a copy of its object. */
export function copyWrittenNumber(from: object, to: object, key: string): void {
  const number = getWrittenNumber(from, key);
  if (number !== undefined) rememberNumber(to, key, number);
}

export type Replacer = (this: unknown, key: string, value: unknown) => unknown;

/**
 * Serializes a value with its original numbers. `write` passes the replacer, if any, to the serializer; `quote`
 * surrounds its texts.
 */
export function serializeExact(quote: '"' | '', write: (replacer: Replacer | undefined) => string): string {
  if (!hasWrittenNumbers) return write(undefined);
  const mark = `n${globalThis.crypto.randomUUID()}_`;
  const text = write(function (key, value) {
    const number = typeof this === 'object' && this !== null ? getWrittenNumber(this, key) : undefined;
    return number === undefined ? value : mark + number;
  });
  return text.replaceAll(new RegExp(`${quote}${mark}([-+.\\deE]*)${quote}`, 'g'), '$1');
}

/** Serializes like JSON.stringify with original numbers; returns `null` for values without JSON text. */
export const stringifyExact = (value: unknown, space?: number): string =>
  serializeExact('"', (replacer) => JSON.stringify(value, replacer, space) ?? 'null');
