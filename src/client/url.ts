/** Parses the base URL and builds the URLs of endpoints. */

import { UsageError } from '../base/errors.ts';
import { trimSlashes } from '../base/trim-slashes.ts';

/** Parses a base URL without its query, fragment and trailing slash. */
export function parseBaseUrl(baseUrl: string): URL {
  let url: URL;
  try {
    url = new URL(baseUrl);
  } catch {
    throw new UsageError(`the base URL "${baseUrl}" is not a valid URL`, {
      hint: 'use the form https://host',
    });
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new UsageError(`the base URL must begin with https:// or http://, not ${url.protocol}`);
  if (url.username || url.password)
    throw new UsageError('the base URL must not contain a user name or a password', {
      hint: 'store the key in a profile',
    });
  url.search = '';
  url.hash = '';
  url.pathname = trimSlashes(url.pathname);
  return url;
}

/** Returns the base URL as a prefix for paths. */
export const formatBaseUrl = (base: URL): string => base.origin + base.pathname.replace(/\/$/, '');

/** Returns whether the host of a URL is this machine. */
export const isLoopbackHostname = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host);

/** Encodes a value as a path segment. Rejects empty values, `.` and `..`, which would change the path. */
function encodeSegment(name: string, value: unknown): string {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const context = { details: [{ place: name, message: 'must be valid in a URL path' }] };
  if (text === '' || text === '.' || text === '..')
    throw new UsageError(text ? `${name} must not be "${text}"` : `${name} must not be empty`, context);
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError(`${name} contains an incomplete character`, context);
  }
}

/** Fills the placeholders of `/v1/x/{id}` with percent-encoded values. */
export function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => encodeSegment(name, params[name]));
}

function encode(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new UsageError('a query parameter contains an incomplete character', {
      details: [{ place: text, message: 'must be valid Unicode' }],
    });
  }
}

function* queryPairs(name: string, value: unknown): Generator<string> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* queryPairs(name, item);
  } else if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) yield* queryPairs(`${name}[${encode(key)}]`, inner);
  } else {
    yield `${name}=${encode(String(value))}`;
  }
}

/**
 * Formats a query with its question mark, or an empty text. Fields of objects use brackets
 * (`startsAt[gte]=2026-11-21`), items of arrays are repeated (`tag=a&tag=b`), null and undefined are omitted.
 */
export function formatQuery(query: Readonly<Record<string, unknown>> | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [...queryPairs(encode(name), value)]);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Resolves a user-written address: a path below the base URL, or a URL of the same origin. */
export function resolveRawUrl(base: URL, path: string, query?: Readonly<Record<string, unknown>>): URL {
  let url: URL;
  try {
    url = /^https?:\/\//i.test(path)
      ? new URL(path)
      : new URL(`${formatBaseUrl(base)}${path.startsWith('/') ? '' : '/'}${path}`);
  } catch {
    throw new UsageError(`"${path}" is not a path`);
  }
  if (url.origin !== base.origin || url.username || url.password)
    throw new UsageError(`sonde does not send the key of ${base.origin} to ${url.origin}`, {
      hint: 'pass a path, such as /v1/checks',
    });
  url.hash = '';
  const extraQuery = formatQuery(query).slice(1);
  if (extraQuery) url.search = url.search ? `${url.search}&${extraQuery}` : extraQuery;
  return url;
}
