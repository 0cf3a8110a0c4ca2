/** Finds the address of a client, also behind the reverse proxies that `--trust-proxy` names. */
import { BlockList, isIP, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

/** Some proxies append the client's port: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
const ADDRESS_WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** Returns the canonical form of an IPv4 or IPv6 address without its port; undefined for any other text. */
function canonicalAddress(text: string): string | undefined {
  const [, bracketed, plain] = ADDRESS_WITH_PORT.exec(text) ?? [];
  const address = bracketed ?? plain ?? text;
  const [withoutZone = ''] = address.split('%');
  return isIP(withoutZone) === 0 ? undefined : ipaddr.process(withoutZone).toString();
}

/**
 * Returns the client's address: the last one in `X-Forwarded-For` that is not a trusted proxy. Falls back to the peer's
 * address if the peer is not trusted or the header has no address there. Unmaps IPv4-mapped IPv6 addresses.
 */
export function clientAddress(request: FastifyRequest): string {
  return canonicalAddress(request.ip) ?? canonicalAddress(request.socket.remoteAddress ?? '') ?? 'unknown';
}

/** Returns the network of an address, for prefixes of this length. */
export function networkOf(address: string, bits: { readonly ipv4: number; readonly ipv6: number }): string {
  if (isIP(address) === 0) return address;
  return isIPv6(address)
    ? `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${bits.ipv6}`)}/${bits.ipv6}`
    : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${bits.ipv4}`)}/${bits.ipv4}`;
}

/**
 * Returns the key by which limits count an address: a whole IPv4 address, or the /64 network of an IPv6 address, which
 * belongs to one owner.
 */
export function rateLimitKey(given: string): string {
  const address = canonicalAddress(given) ?? given;
  return isIPv6(address) ? networkOf(address, { ipv4: 32, ipv6: 64 }) : address;
}

/** Returns the key by which limits count the client of a request. */
export const clientRateLimitKey = (request: FastifyRequest): string => rateLimitKey(clientAddress(request));

/** Returns a check whether an address is in one of these networks (`10.0.0.5`, `172.16.0.0/12`). */
export function createNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return (address) => {
    const given = canonicalAddress(address);
    return given !== undefined && list.check(given, isIPv6(given) ? 'ipv6' : 'ipv4');
  };
}
