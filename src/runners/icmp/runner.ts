/** Runs an ICMP check: sends echo requests and evaluates the replies. */
import type { AbortSignalLike } from '../../base/abort.ts';
import type { Assertion } from '../core/assertion.ts';
import type { Expectations } from '../core/conclude.ts';
import { toExpectations } from '../core/conclude.ts';
import { InvalidCheck, type RunContext, type RunOutcome } from '../core/runner.ts';
import {
  hasIpv6,
  type IpFamily,
  ipv6Unavailable,
  parseHost,
  resolveAddresses,
} from '../network/addresses.ts';
import { IPV4_FALLBACK_NOTE } from '../network/connect.ts';
import { type Deadline, roundMs, startDeadline } from '../network/deadline.ts';
import { TargetFault } from '../network/fault.ts';
import { icmpEvaluation, type PacketLossLimits } from './evaluation.ts';
import { type PingResult, ping } from './ping.ts';
import { computeStatistics, type PingStatistics } from './statistics.ts';

/** The settings of an ICMP check that the runner needs. */
export interface IcmpCheck extends Expectations, PacketLossLimits {
  readonly request: {
    readonly hostname: string;
    /** 1 to 50; default 10. */
    readonly pingCount?: number | null;
    /** Default: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

const DEFAULT_PINGS = 10;
const MAX_PINGS = 50;
/** Timeout of the run, in ms. */
const TIMEOUT_MS = 20_000;

interface PingedHost extends PingResult {
  readonly address: string;
  readonly lookupMs: number | null;
  readonly notes: readonly string[];
}

/**
 * Runs one attempt. It passes if any reply arrives, unless an assertion or threshold fails; the response time is the
 * mean round trip. Rejects with InvalidCheck or CannotRun if the check cannot run, and with the reason of an aborted signal.
 */
export async function run(
  check: IcmpCheck,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  const { hostname, pingCount, ipFamily, assertions } = check.request;
  const count = pingCount ?? DEFAULT_PINGS;
  if (!Number.isInteger(count) || count < 1 || count > MAX_PINGS)
    throw new InvalidCheck(`pingCount must be a number from 1 to ${MAX_PINGS}, not ${count}`);
  const deadline = startDeadline(context, signal, TIMEOUT_MS);
  const request = { hostname, pingCount: count, ipFamily: ipFamily ?? null };
  let pinged: PingedHost | undefined;
  let fault: TargetFault | undefined;
  try {
    pinged = await pingHost(parseHost(hostname), ipFamily ?? undefined, count, context, deadline);
    if (pinged.refusal !== '')
      fault = new TargetFault('unreachable', `${pinged.address} cannot be reached: ${pinged.refusal}`);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  }
  const statistics =
    pinged === undefined || fault !== undefined ? undefined : computeStatistics(pinged.echoes);
  if (statistics?.packetsReceived === 0) fault = createNoReplyFault(pinged, statistics);
  const evidence = {
    check: toExpectations(check),
    assertions: assertions ?? [],
    fault: fault?.data,
    statistics,
    details: {
      request,
      response: statistics ?? null,
      address: pinged?.address ?? null,
      timing: { dns: pinged?.lookupMs == null ? null : roundMs(pinged.lookupMs) },
      duplicates: pinged?.echoes.duplicates ?? 0,
      notes: pinged?.notes ?? [],
      requestError: fault?.message ?? null,
      errorCode: fault?.code ?? null,
    },
  };
  return context.evaluate(icmpEvaluation, evidence, signal);
}

async function pingHost(
  host: string,
  family: IpFamily | undefined,
  count: number,
  context: RunContext,
  deadline: Deadline,
): Promise<PingedHost> {
  const { addresses, lookupMs } = await resolveAddresses(
    { host, port: undefined },
    family,
    context,
    deadline,
  );
  const [address = host] = addresses;
  const pinged = await ping(address, count, deadline);
  const isIpv6Missing = pinged.refusal !== '' && address.includes(':') && !hasIpv6();
  if (!isIpv6Missing) return { ...pinged, address, lookupMs, notes: [] };
  if (address === host || family === undefined) throw ipv6Unavailable(host);
  const retried = await pingHost(host, 'IPv4', count, context, deadline).catch((error: unknown) => {
    throw error instanceof TargetFault && error.reason === 'lookup' ? ipv6Unavailable(host) : error;
  });
  return { ...retried, notes: [IPV4_FALLBACK_NOTE, ...retried.notes] };
}

function createNoReplyFault(pinged: PingedHost | undefined, { packetsSent }: PingStatistics): TargetFault {
  const [error] = pinged?.echoes.errors ?? [];
  const why = error === undefined ? '' : `: ${error}`;
  const packets = packetsSent === 1 ? 'the packet' : `any of ${packetsSent} packets`;
  return new TargetFault(
    error === undefined ? 'timeout' : 'unreachable',
    `${pinged?.address ?? ''} did not answer ${packets}${why}`,
  );
}
