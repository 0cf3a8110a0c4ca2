/** Applies the address policy: resolves a host once, filters its addresses, and connects to an allowed one. */
import { lookup as resolve } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isOfThisMachine, isPublicAddress, reachesListener } from '../../base/ip-addresses.ts';

/** Returns why an address must not be contacted; undefined if it is allowed. A ping has no port. */
export type DenyAddress = (address: string, port?: number) => string | undefined;

/** Implements `--deny-private-networks`: allows only public addresses of other machines. */
export function denyPrivateNetworks(address: string): string | undefined {
  if (!isPublicAddress(address))
    return `${address} is not a public address, and this service denies access to private networks`;
  if (isOfThisMachine(address))
    return `${address} is an address of this machine, and this service denies access to private networks`;
  return undefined;
}

export interface Listener {
  /** An address. */
  readonly host: string;
  readonly port: number;
}

/** Denies the listeners of the service, on each address of this machine that reaches them. */
export const denyListeners =
  (listeners: () => readonly Listener[]): DenyAddress =>
  (address, port) =>
    listeners().some((listener) => listener.port === port && reachesListener(address, listener.host))
      ? `port ${port} of ${address} belongs to this service, and checks and webhooks must not contact the service itself: start it with --allow-own-address to allow them`
      : undefined;

/** The policy denies an address. A retry cannot succeed. */
export class AddressDenied extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'Denied';
  }
}

/** Creates a lookup that returns only allowed addresses, so that the checked address is the one that is used. */
export function createAllowedLookup(denyAddress: DenyAddress | undefined, port: number): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const denials = addresses.map(({ address }) => denyAddress?.(address, port));
      const allowed = addresses.filter((_, index) => denials[index] === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(new AddressDenied(denials[0] ?? 'no address'), []);
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** Throws AddressDenied for a denied IP address, because addresses are never looked up. */
export function assertAllowed(host: string, port: number, denyAddress: DenyAddress | undefined): void {
  const why = isIP(host) === 0 ? undefined : denyAddress?.(host, port);
  if (why !== undefined) throw new AddressDenied(why);
}

/**
 * Connects to a host (a name, or an address without brackets). Throws AddressDenied, or emits it as the socket's
 * error.
 */
export function connectIfAllowed(host: string, port: number, denyAddress: DenyAddress): Socket {
  assertAllowed(host, port, denyAddress);
  return connect({ host, port, lookup: createAllowedLookup(denyAddress, port), autoSelectFamily: true });
}
