/** Reads the alternative names of a certificate and matches them with the name of a server (RFC 9525). */
import type { X509Certificate } from 'node:crypto';
import { isIP, SocketAddress } from 'node:net';
import { domainToASCII } from 'node:url';

export interface AlternativeName {
  /** As Node names it: `DNS`, `IP Address`, `email`, `URI` and others. */
  readonly type: string;
  /** Addresses are in canonical form. */
  readonly value: string;
}

/** One name in Node's list. Node quotes a value that contains a comma or another special character. */
const LISTED_NAME = /(?<=^|, )([^:,"]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g;

/** Returns all alternative names of a certificate, in its order. */
export function alternativeNamesOf({
  subjectAltName = '',
}: Pick<X509Certificate, 'subjectAltName'>): readonly AlternativeName[] {
  return [...subjectAltName.matchAll(LISTED_NAME)].map(([, type = '', text = '']) => {
    const value = text.startsWith('"') ? (JSON.parse(text) as string) : text;
    return { type, value: type === 'IP Address' ? canonicalAddress(value) : value };
  });
}

/** Formats a name for lists and assertions: DNS names and addresses without their type. */
export const formatAlternativeName = ({ type, value }: AlternativeName): string =>
  type === 'DNS' || type === 'IP Address' ? value : `${type}:${value}`;

/** Returns the name as certificates contain it: ASCII, lower case, no dot at the end; an address in canonical form. */
export function normalizeServerName(name: string): string {
  if (isIP(name) !== 0) return canonicalAddress(name);
  return withoutDot((domainToASCII(name) || name).toLowerCase());
}

/**
 * Returns whether the certificate is for the server. Only alternative names of type DNS count for a name, and of type
 * IP for an address; the common name never does. `server`: a result of `normalizeServerName`.
 */
export function isForServer(names: readonly AlternativeName[], server: string): boolean {
  const type = isIP(server) === 0 ? 'DNS' : 'IP Address';
  return names.some(
    (name) => name.type === type && (type === 'DNS' ? matches(name.value, server) : name.value === server),
  );
}

/** A wildcard must be the whole first label, stands for one label, and needs two labels after it, as in browsers. */
function matches(pattern: string, server: string): boolean {
  const presented = withoutDot(pattern.toLowerCase());
  if (!presented.startsWith('*.')) return presented === server && !presented.includes('*');
  const parent = presented.slice(2);
  const firstDot = server.indexOf('.');
  return (
    firstDot > 0 && server.slice(firstDot + 1) === parent && parent.includes('.') && !parent.includes('*')
  );
}

const withoutDot = (name: string): string => name.replace(/\.$/, '');

const canonicalAddress = (address: string): string =>
  isIP(address) === 0
    ? address
    : new SocketAddress({ address, family: isIP(address) === 6 ? 'ipv6' : 'ipv4' }).address;
