/** Combines the lines of headers, and masks the cookies in them. */
import { createScrubber } from '../scrub.ts';
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
  return toHeaderObject(headers.filter(([key]) => key.toLowerCase() === name))[name];
}

/** Returns the lines of Set-Cookie. */
export const setCookieLines = (headers: readonly Header[]): readonly string[] =>
  headers.filter(([name]) => name.toLowerCase() === SET_COOKIE).map(([, value]) => value);

/** Masks the values of Set-Cookie, but not their names and attributes. */
export const maskCookies = (headers: readonly Header[]): readonly Header[] =>
  headers.map(([name, value]) => [name, name.toLowerCase() === SET_COOKIE ? maskCookie(value) : value]);

/** Creates a function that masks the values of Set-Cookie wherever they occur in the result of an assertion. */
export function createCookieMask(headers: readonly Header[]): <Value>(value: Value) => Value {
  return createScrubber(setCookieLines(headers).map((line) => COOKIE_VALUE.exec(line)?.[1] ?? ''));
}

const COOKIE_VALUE = /^(?:[^=;]*=)?([^;]*)/;

const maskCookie = (line: string): string => line.replace(/^([^=;]*=)?[^;]*/, `$1${MASK}`);
