/** Parses the host of a check. */
import { CannotRun } from '../types.ts';

/** Returns a name or an address, without brackets. Throws CannotRun for other text, and for a leading `-`. */
export function parseHost(text: string): string {
  const host = text.trim().replace(/^\[([\da-f:.]+(?:%\w+)?)\]$/i, '$1');
  if (/^[\p{L}\p{N}_.:%-]+$/u.test(host) && !host.startsWith('-')) return host;
  throw new CannotRun(
    `${JSON.stringify(text.slice(0, 200))} is not a host name or IP address: use only the host, without https://, port and path`,
  );
}
