/** Runs an ICMP check: sends echoes, and judges how many come back and how soon. */
import type { AbortSignalLike } from '../base/fast-abort-controller.ts';
import type { Assertion } from './assertions/types.ts';
import { type Figures, figuresOf } from './icmp/statistics.ts';
import { type Pinged, ping } from './icmp/ping.ts';
import { icmpEvaluation, type PacketLossLimits } from './icmp/evaluation.ts';
import { resolveAddresses, hasIpv6, type IpFamily, ipv6Unavailable } from './network/addresses.ts';
import { IPV4_FALLBACK_NOTE } from './network/connect.ts';
import { type Deadline, startDeadline, roundMs } from './network/deadline.ts';
import { TargetFault } from './network/fault.ts';
import { parseHost } from './network/parse-host.ts';
import { CannotRun, type RunContext, type RunOutcome } from './types.ts';
import type { Expectations } from './conclude.ts';
import { expectationsOf } from './conclude.ts';

/** What the runner needs of an ICMP check. */
export interface IcmpCheck extends Expectations, PacketLossLimits {
  readonly request: {
    readonly hostname: string;
    /** 1 to 50; default 10. */
    readonly pingCount?: number | null;
    /** Left out: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

const PINGS = 10;
const MOST_PINGS = 50;
/** The longest that the whole takes, in ms. */
const WAIT_MS = 20_000;

interface Reached extends Pinged {
  readonly address: string;
  readonly lookupMs: number | null;
  readonly notes: readonly string[];
}

/**
 * Runs one attempt. It passes where any echo comes back, unless an assertion or a threshold says otherwise; the response time
 * is the mean round trip. Rejects with CannotRun where the check cannot be run, and with the signal's reason once aborted.
 */
export async function run(check: IcmpCheck, context: RunContext, signal: AbortSignalLike): Promise<RunOutcome> {
  const { hostname, pingCount, ipFamily, assertions } = check.request;
  const count = pingCount ?? PINGS;
  if (!Number.isInteger(count) || count < 1 || count > MOST_PINGS)
    throw new CannotRun(`pingCount must be a number from 1 to ${MOST_PINGS}, not ${count}`);
  const deadline = startDeadline(context, signal, WAIT_MS);
  const request = { hostname, pingCount: count, ipFamily: ipFamily ?? null };
  let reached: Reached | undefined;
  let fault: TargetFault | undefined;
  try {
    reached = await reach(parseHost(hostname), ipFamily ?? undefined, count, context, deadline);
    if (reached.refusal !== '')
      fault = new TargetFault('unreachable', `${reached.address} cannot be reached: ${reached.refusal}`);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  }
  const figures = reached === undefined || fault !== undefined ? undefined : figuresOf(reached.echoes);
  if (figures?.packetsReceived === 0) fault = silence(reached, figures);
  const evidence = {
    ...{ check: expectationsOf(check), assertions: assertions ?? [], fault: fault?.data, figures },
    details: {
      request,
      response: figures ?? null,
      address: reached?.address ?? null,
      timing: { dns: reached?.lookupMs == null ? null : roundMs(reached.lookupMs) },
      duplicates: reached?.echoes.duplicates ?? 0,
      notes: reached?.notes ?? [],
      requestError: fault?.message ?? null,
      errorCode: fault?.code ?? null,
    },
  };
  return context.evaluate(icmpEvaluation, evidence, signal);
}

async function reach(
  host: string,
  family: IpFamily | undefined,
  count: number,
  context: RunContext,
  deadline: Deadline,
): Promise<Reached> {
  const { addresses, lookupMs } = await resolveAddresses(host, family, context, deadline);
  const [address = host] = addresses;
  const pinged = await ping(address, count, deadline);
  const isLacking = pinged.refusal !== '' && address.includes(':') && !hasIpv6();
  if (!isLacking) return { ...pinged, address, lookupMs, notes: [] };
  if (address === host || family === undefined) throw ipv6Unavailable(host);
  const again = await reach(host, 'IPv4', count, context, deadline).catch((error: unknown) => {
    throw error instanceof TargetFault && error.reason === 'lookup' ? ipv6Unavailable(host) : error;
  });
  return { ...again, notes: [IPV4_FALLBACK_NOTE, ...again.notes] };
}

function silence(reached: Reached | undefined, { packetsSent }: Figures): TargetFault {
  const [said] = reached?.echoes.errors ?? [];
  const why = said === undefined ? '' : `: ${said}`;
  const packets = packetsSent === 1 ? 'the packet' : `any of ${packetsSent} packets`;
  return new TargetFault(
    said === undefined ? 'timeout' : 'unreachable',
    `${reached?.address ?? ''} did not answer ${packets}${why}`,
  );
}
