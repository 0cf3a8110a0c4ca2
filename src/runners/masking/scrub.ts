/** Removes known secrets from the report of a run. */

import type { Evaluation } from '../core/runner.ts';
import { foldCase } from './fold-case.ts';
import { unescapeText } from './unescape-text.ts';

const MASK = '***';
/** Shorter secrets are masked only as whole values, because they occur in ordinary text. */
const MIN_LENGTH_WITHIN = 4;
/** Shorter unescaped secrets would match unrelated text. */
const MIN_UNESCAPED_LENGTH = 3;
/** Shorter lines are braces and the like. */
const MIN_LINE_LENGTH = 8;

/**
 * Creates a function that copies a JSON-like value and masks secrets in values and keys, in upper and lower case: plain, in base64
 * and hexadecimal, and escaped repeatedly (percent-encoding, JSON strings, HTML). `detect` masks undeclared secrets.
 */
export function createScrubber(
  secrets: readonly string[],
  detect?: (text: string) => string,
): <Value>(value: Value) => Value {
  const nonEmpty = secrets.filter((secret) => secret !== '');
  if (nonEmpty.length === 0 && detect === undefined) return (value) => value;
  const wholeValues = new Set(nonEmpty);
  const forms = [...new Set(secretForms(nonEmpty).map(foldCase))];
  const unescapedSecrets = nonEmpty
    .filter((secret) => isMaskedWithin(secret) && isEscapable(secret))
    .map((secret) => ({
      plain: foldCase(unescapeText(secret).text),
      endsInBackslash: LAST_BACKSLASH.test(secret),
    }))
    .filter(({ plain }) => plain.length >= MIN_UNESCAPED_LENGTH);
  const mask = (text: string): string => {
    if (wholeValues.has(text)) return MASK;
    const masked = maskForms(maskEscaped(text, unescapedSecrets), forms);
    return detect === undefined ? masked : detect(masked);
  };
  return (value) => mapStrings(value, mask) as typeof value;
}

/** Masks texts of which `forms` are the folded ones. */
function maskForms(text: string, forms: readonly string[]): string {
  let masked = text;
  let folded = foldCase(text);
  for (const form of forms) {
    const found = findOccurrences(form, folded);
    if (found.length === 0) continue;
    const starts = [0, ...found.map(([, last]) => last + 1)];
    const replaceIn = (whole: string): string =>
      starts.map((start, index) => whole.slice(start, found[index]?.[0])).join(MASK);
    [masked, folded] = [replaceIn(masked), replaceIn(folded)];
  }
  return masked;
}

/** Returns false for a secret that no format escapes. */
const isEscapable = (secret: string): boolean => !/^[\w.~-]*$/.test(secret);

interface UnescapedSecret {
  /** The unescaped secret. */
  readonly plain: string;
  readonly endsInBackslash: boolean;
}

/**
 * Masks secrets in text that was escaped repeatedly, such as HTML in JSON in JSON. Compares both without escapes, in
 * linear time.
 */
function maskEscaped(text: string, secrets: readonly UnescapedSecret[]): string {
  if (secrets.length === 0) return text;
  const { text: plain, starts, ends } = unescapeText(text);
  const folded = foldCase(plain);
  const matches = secrets
    .flatMap(({ plain: secret, endsInBackslash }) =>
      findOccurrences(secret, folded).map(([first, last]) => {
        const end = ends[last] ?? text.length;
        return { start: starts[first] ?? 0, end: endsInBackslash ? endOfBackslashes(text, end) : end };
      }),
    )
    .sort((left, right) => left.start - right.start);
  let masked = '';
  let at = 0;
  for (const { start, end } of matches) {
    if (start >= at) masked += text.slice(at, start) + MASK;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

/** Matches a final backslash, encoded or not, which unescaping removes. */
const LAST_BACKSLASH = /(?:\\|%(?:25)*5c)$/i;

function endOfBackslashes(text: string, from: number): number {
  const backslashes = /(?:\\|%(?:25)*5c)+/iy;
  backslashes.lastIndex = from;
  return backslashes.test(text) ? backslashes.lastIndex : from;
}

/** Returns the offsets of the first and last character of each occurrence. */
function findOccurrences(secret: string, text: string): [first: number, last: number][] {
  const occurrences: [number, number][] = [];
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
    occurrences.push([at, at + secret.length - 1]);
  return occurrences;
}

/** Returns all encodings of the secrets, the longest first, because one secret may contain another. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = [...secrets.filter(isMaskedWithin).flatMap(encodedForms), ...secrets.flatMap(secretLines)];
  return sortLongestFirst([...new Set(forms)]);
}

/** Returns the lines of a secret, because output is scrubbed line by line. */
function secretLines(secret: string): string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  return lines.length > 1 ? lines.filter((line) => line.length >= MIN_LINE_LENGTH) : [];
}

const isMaskedWithin = (secret: string): boolean => secret.length >= MIN_LENGTH_WITHIN;
const sortLongestFirst = (texts: readonly string[]): string[] =>
  [...texts].sort((left, right) => right.length - left.length);

function encodedForms(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const percent = encodeURIComponent(bytes.toString());
  const hex = bytes.toString('hex');
  return [
    secret,
    percent,
    // Form encoding uses + for a space; other encoders escape more characters or use lower-case codes.
    percent.replaceAll('%20', '+'),
    encodeStrictly(percent),
    encodeStrictly(percent).replaceAll('%20', '+'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    hex,
    // The console shows buffers with spaces.
    hex.replace(/..(?=.)/g, '$& '),
    ...misdecodedForms(bytes),
    ...base64Forms(bytes),
  ];
}

/** Returns the secret as it appears in an answer with a missing or wrong charset. */
function misdecodedForms(bytes: Buffer): string[] {
  const secret = bytes.toString();
  const utf16 = Buffer.from(secret, 'utf16le');
  return [
    bytes.toString('latin1'),
    ...[Buffer.from(secret, 'latin1'), utf16, Buffer.from(utf16).swap16()].map((each) => each.toString()),
  ];
}

function encodeStrictly(percent: string): string {
  return percent.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/**
 * Returns both base64 alphabets of the bytes at any offset of a longer value (`user:secret` of basic authentication),
 * without the characters that also encode adjacent bytes.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const text = padded.toString('base64').slice(from, to);
    return text.length < 8 ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [bytes.toString('base64').replace(/={1,2}$/, ''), bytes.toString('base64url'), ...forms];
}

function mapStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, mask));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), mapStrings(item, mask)]));
}

interface OutcomeText {
  readonly errors: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** Scrubs the errors and details of a run. */
export const outcomeScrubbing: Evaluation<
  OutcomeText & { readonly secrets: readonly string[] },
  OutcomeText
> = {
  name: 'scrub',
  run({ errors, details, secrets }) {
    const scrub = createScrubber(secrets);
    return { errors: scrub(errors), details: scrub(details) };
  },
};
