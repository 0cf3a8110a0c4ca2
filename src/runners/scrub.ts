/** Takes known secret values out of what a run is about to report. */
import type { Evaluation } from './types.ts';
import { unescapeText } from './unescape-text.ts';

const MASK = '***';
/** Shorter secrets are masked only where they are a whole value: within others they would deface everything. */
const MIN_LENGTH_WITHIN = 4;
/** Shorter secrets without their escapes would be found where they are not. */
const MIN_UNESCAPED_LENGTH = 3;
/** Shorter lines of a secret are braces and the like. */
const MIN_LINE_LENGTH = 8;

/**
 * A function that answers a copy of any JSON-like value (keys included) in which the secrets are masked: as they are,
 * in both alphabets of base64, and escaped as often as may be: percent-encoded, as a JSON string, as HTML. `detect`: masks what
 * nobody declared.
 */
export function createScrubber(
  secrets: readonly string[],
  detect?: (text: string) => string,
): <Value>(value: Value) => Value {
  const nonEmpty = secrets.filter((secret) => secret !== '');
  if (nonEmpty.length === 0 && detect === undefined) return (value) => value;
  const whole = new Set(nonEmpty);
  const forms = secretForms(nonEmpty);
  const unescapedSecrets = nonEmpty
    .filter((secret) => isMaskedWithin(secret) && isEscapable(secret))
    .map((secret) => ({ plain: unescapeText(secret).text, endsInBackslash: LAST_BACKSLASH.test(secret) }))
    .filter(({ plain }) => plain.length >= MIN_UNESCAPED_LENGTH);
  const mask = (text: string): string => {
    if (whole.has(text)) return MASK;
    let masked = maskEscaped(text, unescapedSecrets);
    for (const form of forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return detect === undefined ? masked : detect(masked);
  };
  return (value) => mapStrings(value, mask) as typeof value;
}

/** False for a secret that no format has to escape. */
const isEscapable = (secret: string): boolean => !/^[\w.~-]*$/.test(secret);

interface UnescapedSecret {
  /** The secret without escapes. */
  readonly plain: string;
  readonly endsInBackslash: boolean;
}

/**
 * Masks secrets however often the text around them was escaped: JSON within JSON, HTML within that, addresses within addresses. Both
 * are compared without their escapes, in time that grows with the length of the text alone.
 */
function maskEscaped(text: string, secrets: readonly UnescapedSecret[]): string {
  if (secrets.length === 0) return text;
  const { text: plain, starts, ends } = unescapeText(text);
  const found = secrets
    .flatMap(({ plain: secret, endsInBackslash }) =>
      findOccurrences(secret, plain).map(([first, last]) => {
        const end = ends[last] ?? text.length;
        return { start: starts[first] ?? 0, end: endsInBackslash ? endOfBackslashes(text, end) : end };
      }),
    )
    .sort((left, right) => left.start - right.start);
  let masked = '';
  let at = 0;
  for (const { start, end } of found) {
    if (start >= at) masked += text.slice(at, start) + MASK;
    at = Math.max(at, end);
  }
  return masked + text.slice(at);
}

/** A backslash, encoded or not: without a character behind it, it is removed with the escapes. */
const LAST_BACKSLASH = /(?:\\|%(?:25)*5c)$/i;

function endOfBackslashes(text: string, from: number): number {
  const backslashes = /(?:\\|%(?:25)*5c)+/iy;
  backslashes.lastIndex = from;
  return backslashes.test(text) ? backslashes.lastIndex : from;
}

/** The first and the last character of each occurrence. */
function findOccurrences(secret: string, text: string): [first: number, last: number][] {
  const occurrences: [number, number][] = [];
  for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + secret.length))
    occurrences.push([at, at + secret.length - 1]);
  return occurrences;
}

/** All that a secret may look like within a text, the longest first: one secret may be part of another. */
export function secretForms(secrets: readonly string[]): string[] {
  const forms = [...secrets.filter(isMaskedWithin).flatMap(encodedForms), ...secrets.flatMap(secretLines)];
  return sortLongestFirst([...new Set(forms)]);
}

/** What is shown line by line is looked through line by line: each of a key of many lines is a secret. */
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
  return [
    secret,
    percent,
    // As forms send it, and as others write it: with + for a space, everything encoded that may be, in small letters.
    percent.replaceAll('%20', '+'),
    encodeStrictly(percent),
    encodeStrictly(percent).replaceAll('%20', '+'),
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    JSON.stringify(secret).slice(1, -1),
    ...misdecodedForms(bytes),
    ...base64Forms(bytes),
  ];
}

/** The secret in an answer that does not name its encoding, or names a wrong one. */
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
 * The bytes in both alphabets of base64, wherever in a longer value they begin (`user:secret` of basic authentication):
 * of the first and last signs only those that hold nothing of what stands beside them.
 */
function base64Forms(bytes: Buffer): string[] {
  const forms = [0, 1, 2].flatMap((before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const text = padded.toString('base64').slice(from, to);
    return text.length < 8 ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), ...forms];
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

/** What a run reports, without the values of secrets. */
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
