/** Converts what a check queries to the name that the query carries. */
import { isIP, isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { domainProblem } from '../../contract/sendable.ts';
import { InvalidCheck } from '../core/runner.ts';
import { toGroups } from './addresses.ts';
import type { RecordType } from './types.ts';

/**
 * Returns the name for the query: without a final dot, international labels in ASCII; for PTR, an IP address becomes
 * its name below in-addr.arpa or ip6.arpa. Throws InvalidCheck for an invalid name.
 */
export function toWireName(query: string, type?: RecordType): string {
  const typed = query.trim();
  const trimmed = type === 'PTR' && isIP(typed) !== 0 ? toReverseName(typed) : typed;
  const ascii = isAscii(trimmed) ? trimmed : domainToASCII(trimmed);
  const problem = ascii === '' ? 'must be a DNS name' : domainProblem(ascii);
  if (problem !== undefined) throw new InvalidCheck(`the query ${JSON.stringify(query)} ${problem}`);
  return ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
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
