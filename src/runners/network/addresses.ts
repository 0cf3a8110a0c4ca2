/** The addresses of a host: of the family that is asked for, and such that policy lets them be contacted. */
import { type LookupAddress, promises } from 'node:dns';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { CannotRun, type RunContext } from '../types.ts';
import { type Patience, within } from './deadline.ts';
import { codeOf, TargetFault } from './fault.ts';

export type IpFamily = 'IPv4' | 'IPv6';

/** Those of a host in the order in which they are tried. */
export interface Addresses {
  readonly addresses: readonly string[];
  /** Milliseconds of the lookup; null where the host was an address. */
  readonly lookupMs: number | null;
}

const systemLookup: NonNullable<RunContext['lookup']> = (host, family) =>
  promises.lookup(host, { all: true, family });

/** More are not tried. */
const MOST = 4;

/**
 * Looks a host up (a name, or an address without brackets). An address is taken as it is, whatever family is asked for.
 * Without a family IPv4 goes first. Throws TargetFault where there is none, CannotRun where policy leaves none.
 */
export async function addressesOf(
  host: string,
  family: IpFamily | undefined,
  { denyAddress, lookup = systemLookup }: Pick<RunContext, 'denyAddress' | 'lookup'>,
  patience: Patience,
): Promise<Addresses> {
  if (isIP(host) !== 0) return { addresses: allowed(host, [host], denyAddress), lookupMs: null };
  const start = patience.clock.monotonic();
  const found = await lookedUp(host, family, lookup, patience);
  const lookupMs = patience.clock.monotonic() - start;
  const ordered = [...found].sort((one, other) => one.family - other.family).map(({ address }) => address);
  return { addresses: allowed(host, ordered, denyAddress).slice(0, MOST), lookupMs };
}

function allowed(
  host: string,
  addresses: readonly string[],
  denyAddress: RunContext['denyAddress'],
): readonly string[] {
  if (denyAddress === undefined) return addresses;
  const denials = addresses.map((address) => denyAddress(address));
  const left = addresses.filter((_, index) => denials[index] === undefined);
  if (left.length > 0) return left;
  throw new CannotRun(`the check is not allowed to contact ${host} (${denials[0] ?? 'no address'})`);
}

/** The system's lookup cannot be called off: it is left behind, and only the wait ends. */
function lookedUp(
  host: string,
  family: IpFamily | undefined,
  lookup: NonNullable<RunContext['lookup']>,
  patience: Patience,
): Promise<readonly LookupAddress[]> {
  const late = () =>
    new TargetFault('lookup', `${host} was not resolved within ${patience.waitMs} ms`, 'ETIMEDOUT');
  return within(patience, patience.left(), late, (settle) => {
    const wanted = family === undefined ? 0 : family === 'IPv6' ? 6 : 4;
    lookup(host, wanted).then(settle.succeed, (error: unknown) => {
      const code = codeOf(error) || String(error);
      if (code === 'ENOMEM' || code === 'EMFILE') return settle.fail(error);
      const of = family === undefined ? '' : ` ${family}`;
      const again = code === 'EAI_AGAIN' ? ' (the resolver does not respond)' : '';
      return settle.fail(new TargetFault('lookup', `${host} has no${of} address: ${code}${again}`, code));
    });
    return () => {};
  });
}

/** Whether this machine has an address by which IPv6 leads beyond it. */
export function hasIpv6(interfaces = networkInterfaces()): boolean {
  return Object.values(interfaces).some((addresses) =>
    addresses?.some(
      ({ family, internal, address }) =>
        family === 'IPv6' && !internal && !address.toLowerCase().startsWith('fe80:'),
    ),
  );
}

const WITHOUT_IPV6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'ENETUNREACH', 'EINVAL']);

/** Whether an address was not reached because there is no IPv6 here: the location's lack, not the target's. */
export function lacksIpv6(address: string, code: string): boolean {
  return isIP(address) === 6 && WITHOUT_IPV6.has(code) && !hasIpv6();
}

export const noIpv6 = (host: string): CannotRun =>
  new CannotRun(`IPv6 is not available, and ${host} has no IPv4 address`);
