/** Connects to a host: tries its addresses in order, falls back to IPv4 without IPv6, and measures the phases. */

import { connect, type Socket } from 'node:net';
import { formatLongDuration } from '../../base/format-duration.ts';
import type { RunContext } from '../core/runner.ts';
import { type IpFamily, ipv6Unavailable, lacksIpv6, resolveAddresses } from './addresses.ts';
import { type Deadline, withTimeout } from './deadline.ts';
import { errorCode, formatEndpoint, TargetFault, toTargetFault } from './fault.ts';

export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Default: IPv4 first. */
  readonly ipFamily?: IpFamily | undefined;
}

export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly family: IpFamily;
  /** Milliseconds. */
  readonly lookupMs: number | null;
  readonly connectMs: number;
  /** Information for the user: failed addresses, fallback to IPv4. */
  readonly notes: readonly string[];
}

export const IPV4_FALLBACK_NOTE = 'IPv6 is not available: IPv4 was used';

/**
 * Connects to an address that the policy allows. Throws TargetFault if the target is unreachable, CannotRun if it is
 * denied or this machine lacks a resource.
 */
export async function connectTo(
  target: Target,
  context: RunContext,
  deadline: Deadline,
): Promise<Connection> {
  const { host, ipFamily } = target;
  try {
    return await connectWithFamily(ipFamily, target, context, deadline);
  } catch (error) {
    if (!(error instanceof Ipv6Unavailable)) throw error;
  }
  try {
    const connected = await connectWithFamily('IPv4', target, context, deadline);
    return { ...connected, notes: [IPV4_FALLBACK_NOTE, ...connected.notes] };
  } catch (error) {
    const hasNoIpv4 =
      error instanceof Ipv6Unavailable || (error instanceof TargetFault && error.reason === 'lookup');
    throw hasNoIpv4 ? ipv6Unavailable(host) : error;
  }
}

/** No address could be tried without IPv6. */
class Ipv6Unavailable extends Error {}

async function connectWithFamily(
  family: IpFamily | undefined,
  { host, port }: Target,
  context: RunContext,
  deadline: Deadline,
): Promise<Connection> {
  const { addresses, lookupMs } = await resolveAddresses({ host, port }, family, context, deadline);
  const notes: string[] = [];
  let lastError: unknown = new Ipv6Unavailable();
  for (const [index, address] of addresses.entries()) {
    const start = deadline.clock.monotonic();
    try {
      const socket = await connectToAddress(address, port, deadline, addresses.length - index);
      const connectMs = deadline.clock.monotonic() - start;
      return { socket, address, family: address.includes(':') ? 'IPv6' : 'IPv4', lookupMs, connectMs, notes };
    } catch (error) {
      if (lacksIpv6(address, errorCode(error))) continue;
      if (!(error instanceof TargetFault)) throw error;
      error.lastEndpoint = { address, port };
      lastError = error;
      notes.push(error.message);
    }
  }
  throw lastError;
}

/** Connects to one address. Each address gets a share of the time, so that a silent one does not use all of it. */
function connectToAddress(
  address: string,
  port: number,
  deadline: Deadline,
  remainingAddresses: number,
): Promise<Socket> {
  const name = formatEndpoint(address, port);
  const ms = deadline.remainingMs() / remainingAddresses;
  const timeoutError = () =>
    new TargetFault('timeout', `no connection to ${name} within ${formatLongDuration(ms)}`, 'ETIMEDOUT');
  return withTimeout(deadline, ms, timeoutError, (settle) => {
    const socket = connect({ host: address, port, noDelay: true });
    const onError = (error: Error) => settle.fail(toTargetFault(error, name));
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      // The caller adds its own listener; until then an error must not crash the process.
      socket.on('error', () => {});
      settle.succeed(socket);
    });
    return () => {
      socket.on('error', () => {});
      socket.destroy();
    };
  });
}
