/** Parses canaries: addresses that answer as long as this machine has a network. */
import { parseWebUrl } from '../../base/addresses.ts';

export interface Canary {
  /** As the user wrote it, without a password. */
  readonly name: string;
  readonly target: { readonly url: string } | { readonly hostname: string; readonly port: number };
}

/** Separates canaries in the environment variable. */
const SEPARATOR = ',';
const HOST_AND_PORT = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/;
/** A user and a password before a host. */
const CREDENTIALS = /(?<=^|\/)[^/:]*:[^/]*@/;

/** Parses `https://host/path`, `host:port` or `[address]:port`. */
export function parseCanary(text: string): { readonly value: Canary } | { readonly problem: string } {
  const url = parseWebUrl(text);
  if (url !== undefined) {
    const { href } = url;
    [url.username, url.password] = ['', ''];
    return { value: { name: url.href, target: { url: href } } };
  }
  const [, address, host, digits] = HOST_AND_PORT.exec(text) ?? [];
  const [hostname, port] = [address ?? host, Number(digits)];
  return hostname !== undefined && port >= 1 && port <= 65_535
    ? { value: { name: text, target: { hostname, port } } }
    : { problem: `must be a URL or host:port, not "${text.replace(CREDENTIALS, '***@')}"` };
}

/** Returns the canaries of the flags, or else those of the variable. */
export const splitCanaries = (flags: readonly string[], variable: string | undefined): readonly string[] =>
  flags.length > 0
    ? flags
    : (variable ?? '')
        .split(SEPARATOR)
        .map((text) => text.trim())
        .filter((text) => text !== '');
