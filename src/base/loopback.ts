/** Recognizes the addresses of this machine. */
import { isIPv4 } from 'node:net';

/** Returns whether an address is a loopback address. */
export const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\./.test(address) || address === '::1';

/** Returns whether a listen address or host name is reachable only from this machine. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host === '::1' ||
  (isIPv4(host.replace(/^::ffff:/i, '')) && isLoopback(host.toLowerCase()));
