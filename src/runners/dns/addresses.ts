/** Formats IPv6 addresses as dig prints them, and other spellings of the same addresses alike. */
import { isIPv6, SocketAddress } from 'node:net';

const GROUP = /.{4}/g;

/** Returns the canonical text (RFC 5952) of an address of 16 bytes. */
export const formatIpv6 = (address: Buffer): string =>
  canonicalize((address.toString('hex').match(GROUP) ?? []).join(':'));

const canonicalize = (address: string): string => new SocketAddress({ address, family: 'ipv6' }).address;

const MAX_LENGTH = 45;

/** Replaces each whole IPv6 address in a text by its canonical form. */
export function canonicalizeAddresses(text: string): string {
  return text.replaceAll(/[0-9a-f:.]{2,}/gi, (found) => {
    const address = found.replace(/\.$/, '');
    const isAddress = address.length <= MAX_LENGTH && isIPv6(address);
    return isAddress ? `${canonicalize(address)}${found.slice(address.length)}` : found;
  });
}

const GROUPS = 8;
const GROUP_DIGITS = 4;

/** Returns the eight groups of an IPv6 address, with four digits each. */
export function toGroups(address: string): readonly string[] {
  // A URL has no decimal groups, unlike other spellings.
  const [before = '', after] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const [left, right] = [before, after ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = after === undefined ? 0 : GROUPS - (left?.length ?? 0) - (right?.length ?? 0);
  return [...(left ?? []), ...Array<string>(zeros).fill('0'), ...(right ?? [])].map((group) =>
    group.padStart(GROUP_DIGITS, '0'),
  );
}
