/**
 * Says why a text of a check cannot be sent or contacted, as a predicate (`must have a port from 1 to 65535`). The rules of the
 * contract apply it when a check is saved, and the runners when variables are replaced.
 */

import { isIP } from 'node:net';
import { isUrl } from '../base/parse-url.ts';

const AUTHORITY = /^https?:\/\/([^/\\?#]*)/i;
const HTTP_URL = 'must be an HTTP URL such as https://example.com/path';
const NO_CONTROL_CHARACTERS = 'must not contain line breaks or other control characters';

const HOST = 'must be a host name or IP address, without scheme, path or spaces';
const NAME_SERVER = 'must be host, host:port or [address]:port';
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** A host with a placeholder of a variable is valid, because only the run knows its value. */
export function urlProblem(text: string): string | undefined {
  const url = text.trim();
  const characters = controlCharacterProblem(url);
  if (characters !== undefined) return characters;
  const authority = AUTHORITY.exec(url)?.[1];
  if (authority === undefined) return HTTP_URL;
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = /(?:^|[^:]):(\d+)$/.exec(host)?.[1];
  if (port !== undefined && !isPort(Number(port))) return 'must have a port from 1 to 65535';
  if (authority.includes('{{')) return undefined;
  if (/\s/.test(host)) return 'must not contain spaces in its host';
  return isUrl(url) ? undefined : HTTP_URL;
}

export const controlCharacterProblem = (text: string): string | undefined =>
  /\p{Cc}/u.test(text.trim()) ? NO_CONTROL_CHARACTERS : undefined;

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

/** Brackets around an IPv6 address are allowed. A leading `-` would be an option of a program. */
export function hostProblem(text: string): string | undefined {
  const host = withoutBrackets(text);
  if (!/^[\p{L}\p{M}\p{N}_.:%-]+$/u.test(host) || host.startsWith('-')) return HOST;
  return host.includes(':') && isIP(host) === 0 ? 'must be only the host, without a port' : undefined;
}

/** Returns a host without the brackets of an IPv6 address. */
export const withoutBrackets = (host: string): string =>
  host.trim().replace(/^\[([\da-f:.]+(?:%\w+)?)\]$/i, '$1');

export function nameServerProblem(text: string): string | undefined {
  const { host, port } = splitNameServer(text) ?? {};
  if (host === undefined || hostProblem(host) !== undefined) return NAME_SERVER;
  return port === undefined || isPort(port) ? undefined : 'must have a port from 1 to 65535';
}

/** Splits a name server into its host and port. An IPv6 address with a port has brackets. */
export function splitNameServer(
  text: string,
): { readonly host: string; readonly port: number | undefined } | undefined {
  const server = text.trim();
  if (isIP(server) !== 0) return { host: server, port: undefined };
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/.exec(server) ?? [];
  const host = address ?? name;
  if (host === undefined || (address !== undefined && isIP(address) !== 6)) return undefined;
  return { host, port: port === undefined ? undefined : Number(port) };
}

/** A final dot is optional. */
export function domainProblem(text: string): string | undefined {
  const name = text.trim().replace(/\.$/, '');
  if (name.length > MAX_NAME_LENGTH) return tooLong('', MAX_NAME_LENGTH);
  const labels = name.split('.');
  if (labels.length > 1 && labels.includes('')) return 'must not contain an empty label';
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH))
    return tooLong(' in a label', MAX_LABEL_LENGTH);
  return controlCharacterProblem(name);
}

const tooLong = (where: string, limit: number): string =>
  `must have at most ${limit} characters${where}, the limit of DNS`;
