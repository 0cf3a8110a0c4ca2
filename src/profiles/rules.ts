/**
 * Validates single values of a profile. Each function returns the problem or undefined, and never repeats the value.
 */
import { isUrl } from '../base/parse-url.ts';
import { trimSlashes } from '../base/trim-slashes.ts';

export const DEFAULT_ACCOUNT_HEADER = 'x-service-account';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
const VISIBLE = /^[\x21-\x7e]{1,256}$/;
const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/;

/** Headers that the client or HTTP itself sets. An account ID in one would break the request or replace the key. */
const RESERVED_HEADERS = new Set(
  `accept accept-encoding authorization connection content-encoding content-length content-type cookie expect
  forwarded host http2-settings keep-alive proxy-authorization proxy-connection set-cookie te trailer
  transfer-encoding upgrade user-agent via`.split(/\s+/),
);

export type BaseUrlResult = { readonly value: string } | { readonly problem: string };

/** Returns the problem with a profile name. */
export function validateName(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : 'is not a valid profile name: use 1 to 64 letters, digits, ".", "_" and "-"';
}

/** Returns the problem with an account ID, which is sent as a header value. */
export function validateAccountId(id: string): string | undefined {
  return VISIBLE.test(id) ? undefined : 'is not a valid account ID: use 1 to 256 visible ASCII characters';
}

/** Returns the problem with the name of the header for the account ID (RFC 9110, token). */
export function validateHeaderName(name: string): string | undefined {
  if (!TOKEN.test(name)) return 'is not a valid HTTP header name';
  if (RESERVED_HEADERS.has(name.toLowerCase())) return 'is a reserved header';
  return undefined;
}

/**
 * Normalizes a base URL for comparison and storage: lower-case host, no default port, no trailing slash.
 * The problem does not repeat the URL, which may contain a password.
 */
export function parseBaseUrl(text: string): BaseUrlResult {
  if (!/^https?:\/\//i.test(text)) return { problem: 'must begin with https:// or http://' };
  if (/[\s\p{Cc}\\]/u.test(text)) return { problem: 'must not contain spaces, line breaks or backslashes' };
  if (/[?#]/.test(text)) return { problem: 'must not have a query or a fragment' };
  if (!isUrl(text)) return { problem: 'is not a valid URL' };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text)) {
    return { problem: 'must not contain a user or a password' };
  }
  return { value: `${url.origin}${trimSlashes(url.pathname)}` };
}

/** Returns whether a key would be sent over a network unencrypted: plain http to another machine. */
export function isExposed(baseUrl: string): boolean {
  return new URL(baseUrl).protocol === 'http:' && !isLocal(baseUrl);
}

/** Returns whether a service is on this machine. */
export function isLocal(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || LOOPBACK_V4.test(hostname);
}
