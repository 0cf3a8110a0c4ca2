/** Connects to a host: one address after the other, IPv4 where IPv6 is disabled, and the phases that it took. */
import { connect, type Socket } from 'node:net';
import type { RunContext } from '../types.ts';
import { addressesOf, type IpFamily, lacksIpv6, noIpv6 } from './addresses.ts';
import { type Patience, within } from './deadline.ts';
import { codeOf, endpointName, faultOf, TargetFault } from './fault.ts';

export interface Target {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** Left out: IPv4 first. */
  readonly ipFamily?: IpFamily | undefined;
}

export interface Connected {
  readonly socket: Socket;
  readonly address: string;
  readonly family: IpFamily;
  /** Milliseconds. */
  readonly lookupMs: number | null;
  readonly connectMs: number;
  /** What a person has to know besides: addresses that failed, IPv4 instead of IPv6. */
  readonly notes: readonly string[];
}

export const FELL_BACK = 'IPv6 is not available: IPv4 was used';

/**
 * Connects. The address that policy has judged is the one that is connected to. Throws TargetFault where the target cannot be
 * reached, CannotRun where it must not be or where this machine lacks what it takes.
 */
export async function connectTo(target: Target, context: RunContext, patience: Patience): Promise<Connected> {
  const { host, ipFamily } = target;
  try {
    return await connectBy(ipFamily, target, context, patience);
  } catch (error) {
    if (!(error instanceof WithoutIpv6)) throw error;
  }
  try {
    const connected = await connectBy('IPv4', target, context, patience);
    return { ...connected, notes: [FELL_BACK, ...connected.notes] };
  } catch (error) {
    const hasNone =
      error instanceof WithoutIpv6 || (error instanceof TargetFault && error.reason === 'lookup');
    throw hasNone ? noIpv6(host) : error;
  }
}

/** None of the addresses could be tried, for want of IPv6. */
class WithoutIpv6 extends Error {}

async function connectBy(
  family: IpFamily | undefined,
  { host, port }: Target,
  context: RunContext,
  patience: Patience,
): Promise<Connected> {
  const { addresses, lookupMs } = await addressesOf(host, family, context, patience);
  const notes: string[] = [];
  let last: unknown = new WithoutIpv6();
  for (const [index, address] of addresses.entries()) {
    const start = patience.clock.monotonic();
    try {
      const socket = await connectOnce(address, port, patience, addresses.length - index);
      const connectMs = patience.clock.monotonic() - start;
      return { socket, address, family: address.includes(':') ? 'IPv6' : 'IPv4', lookupMs, connectMs, notes };
    } catch (error) {
      if (lacksIpv6(address, codeOf(error))) continue;
      if (!(error instanceof TargetFault)) throw error;
      error.tried = { address, port };
      last = error;
      notes.push(error.message);
    }
  }
  throw last;
}

/** An address before others gets its share of the wait alone: one that keeps silent must not cost the others their turn. */
function connectOnce(address: string, port: number, patience: Patience, toTry: number): Promise<Socket> {
  const name = endpointName(address, port);
  const ms = patience.left() / toTry;
  const late = () =>
    new TargetFault('timeout', `no connection to ${name} within ${Math.round(ms)} ms`, 'ETIMEDOUT');
  return within(patience, ms, late, (settle) => {
    const socket = connect({ host: address, port, noDelay: true });
    const onError = (error: Error) => settle.fail(faultOf(error, name));
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
