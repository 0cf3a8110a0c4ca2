/** Combines the lines of headers, and masks the cookies in them. */

import type { Mask } from '../assertions/evaluate-assertions.ts';
import type { Assertion } from '../core/assertion.ts';
import { createScrubber } from '../masking/scrub.ts';
import type { Header } from './types.ts';

const SET_COOKIE = 'set-cookie';
const MASK = '***';

/**
 * Returns all headers by lower-case name. Several lines of one header are one list (RFC 9110, section 5.3), except
 * Set-Cookie, whose values contain commas: its lines are separated by newlines.
 */
export function toHeaderObject(headers: readonly Header[]): Readonly<Record<string, string>> {
  const lines = new Map<string, string[]>();
  for (const [rawName, value] of headers) {
    const name = rawName.toLowerCase();
    const before = lines.get(name);
    if (before === undefined) lines.set(name, [value]);
    else before.push(value);
  }
  return Object.fromEntries(
    [...lines].map(([name, values]) => [name, values.join(name === SET_COOKIE ? '\n' : ', ')]),
  );
}

/** Returns the value of a header, with its lines joined; undefined without it. */
export function joinLines(headers: readonly Header[], name: string): string | undefined {
  const lines = headers.filter(([key]) => key.toLowerCase() === name);
  return lines.length === 0 ? undefined : toHeaderObject(lines)[name];
}

/** Returns the lines of Set-Cookie. */
export const setCookieLines = (headers: readonly Header[]): readonly string[] =>
  headers.filter(([name]) => name.toLowerCase() === SET_COOKIE).map(([, value]) => value);

/** Masks the values of Set-Cookie, but not their names and attributes. */
export const maskCookies = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, name.toLowerCase() === SET_COOKIE ? maskCookie(value) : value]);

/**
 * Returns a function that masks the values of Set-Cookie in a value of an assertion on headers. A regular expression may
 * capture a part of a cookie, so its captures are masked whole.
 */
export function createCookieMask(
  headers: readonly Header[],
  { property, regex }: Pick<Assertion, 'property' | 'regex'>,
): Mask {
  const lines = setCookieLines(headers);
  const name = property?.trim().toLowerCase() ?? '';
  if (lines.length === 0 || (name !== '' && name !== SET_COOKIE)) return (value) => value;
  if (regex) return <Value>(value: Value) => (typeof value === 'string' ? MASK : value) as Value;
  if (name === SET_COOKIE)
    return <Value>(value: Value) => (typeof value === 'string' ? maskCookie(value) : value) as Value;
  return createScrubber(lines.map((line) => COOKIE_VALUE.exec(line)?.[1] ?? ''));
}

const COOKIE_VALUE = /^(?:[^=;]*=)?([^;]*)/;

const maskCookie = (line: string): string => line.replace(/^([^=;]*=)?[^;]*/, `$1${MASK}`);
