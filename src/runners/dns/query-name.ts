/** Converts what a check queries to the name that the query carries. */
import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { CannotRun } from '../types.ts';
import { toGroups } from './addresses.ts';
import type { RecordType } from './types.ts';

const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/**
 * Returns the name for the query: without a final dot, international labels in ASCII; for PTR, an IP address becomes
 * its name below in-addr.arpa or ip6.arpa. Throws CannotRun for an invalid name.
 */
export function toWireName(query: string, type?: RecordType): string {
  const typed = query.trim();
  const trimmed = type === 'PTR' && isIP(typed) !== 0 ? toReverseName(typed) : typed;
  const ascii = isAscii(trimmed) ? trimmed : domainToASCII(trimmed);
  if (ascii === '') throw new CannotRun(`${JSON.stringify(query)} is not a valid DNS name`);
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (name === '') return '';
  if (name.length > MAX_NAME_LENGTH) {
    throw new CannotRun(`the name ${name} is longer than ${MAX_NAME_LENGTH} characters, the limit of DNS`);
  }
  for (const label of name.split('.')) {
    if (label === '') throw new CannotRun(`the name ${name} has an empty label`);
    if (label.length > MAX_LABEL_LENGTH) {
      throw new CannotRun(
        `the label ${label} is longer than ${MAX_LABEL_LENGTH} characters, the limit of DNS`,
      );
    }
  }
  return name;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Returns the name of an address in the reverse zones. */
function toReverseName(address: string): string {
  if (isIPv4(address)) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  return `${[...toGroups(address).join('')].reverse().join('.')}.ip6.arpa`;
}
