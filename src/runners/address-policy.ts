/** What a check may reach: hosts are looked up once, their addresses judged, and one that passed is connected to. */
import { lookup as resolve } from 'node:dns';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { isPublicAddress } from '../base/public-address.ts';

/** Says why an address must not be contacted, or undefined where it may be. */
export type DenyAddress = (address: string) => string | undefined;

/** `--deny-private-networks`: public addresses alone; neither this machine nor a network that is nobody else's to see. */
export const denyPrivateNetworks: DenyAddress = (address) =>
  isPublicAddress(address)
    ? undefined
    : `${address} is not a public address, and this service denies access to private networks`;

/** Policy stands against an address: no other try changes that. */
export class AddressDenied extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'Denied';
  }
}

/** Looks a host up and leaves what policy allows: the address that is judged is the one that is connected to. */
export function createAllowedLookup(denyAddress: DenyAddress | undefined): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const denials = addresses.map(({ address }) => denyAddress?.(address));
      const allowed = addresses.filter((_, index) => denials[index] === undefined);
      const [first] = allowed;
      if (first === undefined) return callback(new AddressDenied(denials[0] ?? 'no address'), []);
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };
}

/** Throws Denied for a host that is an address already, and a denied one: such a one is never looked up. */
export function assertAllowed(host: string, denyAddress: DenyAddress | undefined): void {
  const why = isIP(host) === 0 ? undefined : denyAddress?.(host);
  if (why !== undefined) throw new AddressDenied(why);
}

/** Connects to a host (a name, or an address without brackets). Throws Denied; the socket's error may be one, too. */
export function connectIfAllowed(host: string, port: number, denyAddress: DenyAddress): Socket {
  assertAllowed(host, denyAddress);
  return connect({ host, port, lookup: createAllowedLookup(denyAddress), autoSelectFamily: true });
}
