/** Keeps numbers as they were written where JavaScript's own would say something else: 12345678901234567890, 1.0, 1e400. */

/** Of an object or array: under which key (or index) which number stood. */
const writtenNumbers = new WeakMap<object, Map<string, string>>();
let hasWrittenNumbers = false;

/** Whether a JSON text may hold a number that would not be written back as it came; times in strings are none. */
const INEXACT_NUMBER = /(?:^|[[,:\s])(?:-0|-?\d[\d.]{15,}|-?\d+\.\d*0|-?\d[\d.]*[eE][-+]?\d+)(?=[,\]}\s]|$)/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** As JSON.parse, and the numbers in it are remembered as they were written. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!INEXACT_NUMBER.test(text)) return value;
  const mark = globalThis.crypto.randomUUID();
  const marked: unknown = JSON.parse(markNumbers(text, mark));
  if (typeof marked !== 'object' || marked === null) return value;
  // By a list of its own: how deep an answer is nested is the server's affair.
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

/** A text that is JSON, with a marked string in the place of each number that would be written otherwise. */
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

/** Where a string of a text that is JSON ends that begins at a quote. No regular expression: it would run out of stack in a long one. */
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

/** How the number at a key of an object was written, where that is not how it would be written now. */
export function getWrittenNumber(holder: object, key: string): string | undefined {
  const number = hasWrittenNumbers ? writtenNumbers.get(holder)?.get(key) : undefined;
  // Whoever has put another value there means that.
  return number !== undefined && Object.is(Number(number), Reflect.get(holder, key)) ? number : undefined;
}

/** The same where the value now is another number: more digits than it can hold, or beyond its range. */
export function getLossyNumber(holder: object, key: string): string | undefined {
  const number = getWrittenNumber(holder, key);
  if (number === undefined) return undefined;
  const digits = number
    .replace(/[eE].*/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length > 15 || !Number.isFinite(Number(number)) ? number : undefined;
}

/** Longer numbers are compared as JavaScript reads them. */
const MAX_EXACT_LENGTH = 1000;

/** The text of an integer that JavaScript cannot tell from its neighbours: as it was written at a key of an object, if it was parsed exactly. */
export function getLargeInteger(value: unknown, holder?: object, key = ''): string | undefined {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return undefined;
  const number = (holder && getWrittenNumber(holder, key)) ?? String(value);
  return number.length > MAX_EXACT_LENGTH ? undefined : number;
}

/** Has a copy of an object remember what the object does of one key. */
export function copyWrittenNumber(from: object, to: object, key: string): void {
  const number = getWrittenNumber(from, key);
  if (number !== undefined) rememberNumber(to, key, number);
}

export type Replacer = (this: unknown, key: string, value: unknown) => unknown;

/**
 * Writes a value with its numbers as they were written. `write` hands the replacer, where there is one, to what writes it;
 * `quote`: what that puts around a text.
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

/** As JSON.stringify, with every number as it was written; `null` for what JSON has no text for. */
export const stringifyExact = (value: unknown, space?: number): string =>
  serializeExact('"', (replacer) => JSON.stringify(value, replacer, space) ?? 'null');
