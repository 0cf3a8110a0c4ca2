/** Reads the host that a check names. */
import { CannotRun } from '../types.ts';

/** A name or an address, which may stand in brackets. Throws CannotRun for what is neither, and for what begins with `-`. */
export function parseHost(text: string): string {
  const host = text.trim().replace(/^\[([\da-f:.]+(?:%\w+)?)\]$/i, '$1');
  if (/^[\p{L}\p{N}_.:%-]+$/u.test(host) && !host.startsWith('-')) return host;
  throw new CannotRun(
    `${JSON.stringify(text.slice(0, 200))} is not a host name or IP address: use only the host, without https://, port and path`,
  );
}
