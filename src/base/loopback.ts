/** Which addresses are this machine's own. */
import { isIPv4 } from 'node:net';

/** Returns whether an address is this machine's own, which no other machine reaches. */
export const isLoopback = (address: string): boolean =>
  /^(?:::ffff:)?127\./.test(address) || address === '::1';

/** Returns whether a host to listen on, an address or a name, is reached from this machine only. */
export const isLoopbackHost = (host: string): boolean =>
  host === 'localhost' ||
  host === '::1' ||
  (isIPv4(host.replace(/^::ffff:/i, '')) && isLoopback(host.toLowerCase()));
