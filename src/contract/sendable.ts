/**
 * Says why a text of a check cannot be sent or contacted, as a predicate (`must have a port from 1 to 65535`). The rules of the
 * contract apply it when a check is saved, and the runners when variables are replaced.
 */

const AUTHORITY = /^https?:\/\/([^/\\?#]*)/i;
const HTTP_URL = 'must be an HTTP URL such as https://example.com/path';
const NO_CONTROL_CHARACTERS = 'must not contain line breaks or other control characters';

/** A host with a placeholder of a variable is valid, because only the run knows its value. */
export function urlProblem(text: string): string | undefined {
  const url = text.trim();
  if (/\p{Cc}/u.test(url)) return NO_CONTROL_CHARACTERS;
  const authority = AUTHORITY.exec(url)?.[1];
  if (authority === undefined) return HTTP_URL;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = /(?:^|[^:]):(\d+)$/.exec(host)?.[1];
  if (port !== undefined && !isPort(Number(port))) return 'must have a port from 1 to 65535';
  if (authority.includes('{{')) return undefined;
  if (/\s/.test(host)) return 'must not contain spaces in its host';
  return URL.canParse(url) ? undefined : HTTP_URL;
}

export const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535;

/** A name is a token of RFC 9110. */
export const headerNameProblem = (name: string): string | undefined =>
  /^[!#$%&'*+.^_`|~\w-]+$/.test(name.trim())
    ? undefined
    : 'must be a header name, which has only letters, digits and characters such as - and _';

export function headerValueProblem(value: string): string | undefined {
  if (/[^\t\P{Cc}]/u.test(value.trim())) return NO_CONTROL_CHARACTERS;
  return /[\u{100}-\u{10ffff}]/u.test(value)
    ? 'must contain only Latin-1 characters, as HTTP requires: encode other characters'
    : undefined;
}
