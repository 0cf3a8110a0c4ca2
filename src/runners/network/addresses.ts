/** Resolves the addresses of a host for an IP family and applies the address policy. */

import { type LookupAddress, promises } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { formatLongDuration } from '../../base/format-duration.ts';
import { hostProblem, withoutBrackets } from '../../contract/sendable.ts';
import { CannotRun, InvalidCheck, type RunContext } from '../core/runner.ts';
import { type Deadline, withTimeout } from './deadline.ts';
import { errorCode, TargetFault } from './fault.ts';

export type IpFamily = 'IPv4' | 'IPv6';

/** The addresses of a host, in the order in which they are tried. */
export interface Addresses {
  readonly addresses: readonly string[];
  /** Milliseconds of the lookup; null if the host was an address. */
  readonly lookupMs: number | null;
}

const systemLookup: NonNullable<RunContext['lookup']> = (host, family) =>
  promises.lookup(host, { all: true, family });

const MAX_ADDRESSES = 4;

export interface NetworkHost {
  /** A name, or an address without brackets. */
  readonly host: string;
  /** Undefined for a ping. */
  readonly port: number | undefined;
}

/**
 * Looks up a host and returns the addresses that the policy allows. An address is returned for any family. Without a family
 * IPv4 comes first. Throws TargetFault without an address, CannotRun if the policy denies all.
 */
export async function resolveAddresses(
  { host, port }: NetworkHost,
  family: IpFamily | undefined,
  { denyAddress, lookup = systemLookup }: Pick<RunContext, 'denyAddress' | 'lookup'>,
  deadline: Deadline,
): Promise<Addresses> {
  if (isIP(host) !== 0) return { addresses: filterAllowed(host, [host], port, denyAddress), lookupMs: null };
  const start = deadline.clock.monotonic();
  const entries = await lookUpHost(host, family, lookup, deadline);
  const lookupMs = deadline.clock.monotonic() - start;
  const ordered = [...entries].sort((one, other) => one.family - other.family).map(({ address }) => address);
  return { addresses: filterAllowed(host, ordered, port, denyAddress).slice(0, MAX_ADDRESSES), lookupMs };
}

function filterAllowed(
  host: string,
  addresses: readonly string[],
  port: number | undefined,
  denyAddress: RunContext['denyAddress'],
): readonly string[] {
  if (denyAddress === undefined) return addresses;
  const denials = addresses.map((address) => denyAddress(address, port));
  const permitted = addresses.filter((_, index) => denials[index] === undefined);
  if (permitted.length > 0) return permitted;
  throw new CannotRun(`the check is not allowed to contact ${host} (${denials[0] ?? 'no address'})`);
}

/** Looks up a name. The system's lookup cannot be cancelled; only the wait ends. */
function lookUpHost(
  host: string,
  family: IpFamily | undefined,
  lookup: NonNullable<RunContext['lookup']>,
  deadline: Deadline,
): Promise<readonly LookupAddress[]> {
  const timeoutError = () =>
    new TargetFault(
      'lookup',
      `${host} was not resolved within ${formatLongDuration(deadline.timeoutMs)}`,
      'ETIMEDOUT',
    );
  return withTimeout(deadline, deadline.remainingMs(), timeoutError, (settle) => {
    const familyNumber = family === undefined ? 0 : family === 'IPv6' ? 6 : 4;
    lookup(host, familyNumber).then(settle.succeed, (error: unknown) => {
      const code = errorCode(error) || String(error);
      if (code === 'ENOMEM' || code === 'EMFILE') return settle.fail(error);
      const familyLabel = family === undefined ? '' : ` ${family}`;
      const retryNote = code === 'EAI_AGAIN' ? ' (the resolver does not respond)' : '';
      return settle.fail(
        new TargetFault('lookup', `${host} has no${familyLabel} address: ${code}${retryNote}`, code),
      );
    });
    return () => {};
  });
}

/** Returns whether this machine has an IPv6 address that is not link-local. */
export function hasIpv6(interfaces = networkInterfaces()): boolean {
  return Object.values(interfaces).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) =>
        family === 'IPv6' && !internal && !address.toLowerCase().startsWith('fe80:'),
    ),
  );
}

const NO_IPV6_CODES = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EINVAL']);

/** Returns whether an address is unreachable because this location has no IPv6. */
export function lacksIpv6(address: string, code: string): boolean {
  return isIP(address) === 6 && NO_IPV6_CODES.has(code) && !hasIpv6();
}

export const ipv6Unavailable = (host: string): CannotRun =>
  new CannotRun(`IPv6 is not available, and ${host} has no IPv4 address`);

/** Returns a name or an address, without brackets. Throws InvalidCheck for other text. */
export function parseHost(text: string): string {
  const problem = hostProblem(text);
  if (problem === undefined) return withoutBrackets(text);
  throw new InvalidCheck(`the host ${JSON.stringify(text.slice(0, 200))} ${problem}`);
}
