/** Connects to a host: one address after the other, IPv4 where IPv6 is disabled, and the phases that it took. */
import { connect, type Socket } from 'node:net';
import type { RunContext } from '../types.ts';
import { type IpFamily, ipv6Unavailable, lacksIpv6, resolveAddresses } from './addresses.ts';
import { type Deadline, withTimeout } from './deadline.ts';
import { errorCode, formatEndpoint, TargetFault, toTargetFault } from './fault.ts';

export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Left out: IPv4 first. */
  readonly ipFamily?: IpFamily | undefined;
}

export interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly family: IpFamily;
  /** Milliseconds. */
  readonly lookupMs: number | null;
  readonly connectMs: number;
  /** What a person has to know besides: addresses that failed, IPv4 instead of IPv6. */
  readonly notes: readonly string[];
}

export const IPV4_FALLBACK_NOTE = 'IPv6 is not available: IPv4 was used';

/**
 * Connects. The address that policy has judged is the one that is connected to. Throws TargetFault where the target cannot be
 * reached, CannotRun where it must not be or where this machine lacks what it takes.
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

/** None of the addresses could be tried, for want of IPv6. */
class Ipv6Unavailable extends Error {}

async function connectWithFamily(
  family: IpFamily | undefined,
  { host, port }: Target,
  context: RunContext,
  deadline: Deadline,
): Promise<Connection> {
  const { addresses, lookupMs } = await resolveAddresses(host, family, context, deadline);
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

/** An address before others gets its share of the wait alone: one that keeps silent must not cost the others their turn. */
function connectToAddress(
  address: string,
  port: number,
  deadline: Deadline,
  remainingAddresses: number,
): Promise<Socket> {
  const name = formatEndpoint(address, port);
  const ms = deadline.remainingMs() / remainingAddresses;
  const timeoutError = () =>
    new TargetFault('timeout', `no connection to ${name} within ${Math.round(ms)} ms`, 'ETIMEDOUT');
  return withTimeout(deadline, ms, timeoutError, (settle) => {
    const socket = connect({ host: address, port, noDelay: true });
    const onError = (error: Error) => settle.fail(toTargetFault(error, name));
    socket.once('error', onError);
    socket.once('connect', () => {
      socket.off('error', onError);
      // Whoever takes it listens itself; until then an error must not end the process.
      socket.on('error', () => {});
      settle.succeed(socket);
    });
    return () => {
      socket.on('error', () => {});
      socket.destroy();
    };
  });
}
