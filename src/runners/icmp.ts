/** Runs an ICMP check: sends echoes, and judges how many come back and how soon. */
import type { StopSignal } from '../base/stop.ts';
import { select } from './assertions/jsonpath.ts';
import type { Assertion, JsonValue, Subject } from './assertions/types.ts';
import { judgeAll } from './assertions.ts';
import { type Figures, figuresOf } from './icmp/figures.ts';
import { type Pinged, ping } from './icmp/ping.ts';
import { addressesOf, hasIpv6, type IpFamily, noIpv6 } from './network/addresses.ts';
import { FELL_BACK } from './network/connect.ts';
import { TargetFault } from './network/fault.ts';
import { hostOf } from './network/host.ts';
import { type Patience, patienceOf, rounded } from './network/patience.ts';
import { CannotRun, type RunContext, type RunOutcome } from './types.ts';
import { conclude, type Expectations } from './verdict.ts';

/** What the runner needs of an ICMP check. */
export interface IcmpCheck extends Expectations {
  readonly request: {
    readonly hostname: string;
    /** 1 to 50; default 10. */
    readonly pingCount?: number | null;
    /** Left out: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    readonly assertions?: readonly Assertion[] | null;
  };
  /** Percent of lost packets at which the check counts as degraded; null or absent: never. */
  readonly degradedPacketLossThreshold?: number | null;
  /** Percent of lost packets at which it fails; null or absent: when all are lost. */
  readonly maxPacketLossThreshold?: number | null;
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
export async function run(check: IcmpCheck, context: RunContext, signal: StopSignal): Promise<RunOutcome> {
  const { hostname, pingCount, ipFamily, assertions } = check.request;
  const count = pingCount ?? PINGS;
  if (!Number.isInteger(count) || count < 1 || count > MOST_PINGS)
    throw new CannotRun(`pingCount must be a number from 1 to ${MOST_PINGS}, not ${count}`);
  const patience = patienceOf(context, signal, WAIT_MS);
  const request = { hostname, pingCount: count, ipFamily: ipFamily ?? null };
  let reached: Reached | undefined;
  let fault: TargetFault | undefined;
  try {
    reached = await reach(hostOf(hostname), ipFamily ?? undefined, count, context, patience);
    if (reached.refusal !== '')
      fault = new TargetFault('unreachable', `${reached.address} cannot be reached: ${reached.refusal}`);
  } catch (error) {
    if (!(error instanceof TargetFault)) throw error;
    fault = error;
  }
  const figures = reached === undefined || fault !== undefined ? undefined : figuresOf(reached.echoes);
  if (figures?.packetsReceived === 0) fault = silence(reached, figures);
  const judged =
    figures === undefined ? [] : judgeAll(assertions ?? [], (assertion) => subjectOf(assertion, figures));
  const { maxPacketLossThreshold: most = null, degradedPacketLossThreshold: some = null } = check;
  const loss = figures?.packetLoss ?? 0;
  const lost = most !== null && fault === undefined && loss >= most && loss > 0;
  const outcome = conclude(
    {
      networkErrors: fault === undefined ? [] : [fault.message],
      timedOut: figures?.packetsReceived === 0,
      faults: lost ? [`${loss} % of the packets were lost, the limit is ${most} %`] : [],
      assertions: judged,
      responseTime: figures?.latency.avg ?? null,
      details: {
        request,
        response: figures ?? null,
        address: reached?.address ?? null,
        timing: { dns: reached?.lookupMs == null ? null : rounded(reached.lookupMs) },
        duplicates: reached?.echoes.duplicates ?? 0,
        notes: reached?.notes ?? [],
        requestError: fault?.message ?? null,
        errorCode: fault?.code ?? null,
        assertions: judged,
      },
    },
    check,
  );
  const isLossy = some !== null && loss >= some && loss > 0;
  return isLossy && outcome.errors.length === 0 ? { ...outcome, isDegraded: true } : outcome;
}

async function reach(
  host: string,
  family: IpFamily | undefined,
  count: number,
  context: RunContext,
  patience: Patience,
): Promise<Reached> {
  const { addresses, lookupMs } = await addressesOf(host, family, context, patience);
  const [address = host] = addresses;
  const pinged = await ping(address, count, patience);
  const isLacking = pinged.refusal !== '' && address.includes(':') && !hasIpv6();
  if (!isLacking) return { ...pinged, address, lookupMs, notes: [] };
  if (address === host || family === undefined) throw noIpv6(host);
  const again = await reach(host, 'IPv4', count, context, patience).catch((error: unknown) => {
    throw error instanceof TargetFault && error.reason === 'lookup' ? noIpv6(host) : error;
  });
  return { ...again, notes: [FELL_BACK, ...again.notes] };
}

function silence(reached: Reached | undefined, { packetsSent }: Figures): TargetFault {
  const [said] = reached?.echoes.errors ?? [];
  const why = said === undefined ? '' : `: ${said}`;
  const packets = packetsSent === 1 ? 'the one packet' : `any of ${packetsSent} packets`;
  return new TargetFault(
    said === undefined ? 'timeout' : 'unreachable',
    `${reached?.address ?? ''} did not answer ${packets}${why}`,
  );
}

const LATENCIES = ['min', 'avg', 'max', 'stdDev', 'jitter'] as const;

function subjectOf(assertion: Assertion, figures: Figures): Subject {
  const { latency, packetLoss } = figures;
  switch (assertion.source) {
    case 'LATENCY': {
      const property = assertion.property?.trim() || 'avg';
      const name = LATENCIES.find((one) => one.toLowerCase() === property.toLowerCase());
      if (name === undefined)
        return { values: [], unusable: `LATENCY has no ${property}: it has ${LATENCIES.join(', ')}` };
      const value = latency[name];
      return value === null ? { values: [], absence: 'no packet came back' } : { values: [value] };
    }
    case 'RESPONSE_TIME':
      return latency.avg === null
        ? { values: [], absence: 'no packet came back' }
        : { values: [latency.avg] };
    case 'PACKET_LOSS':
      return { values: [packetLoss] };
    case 'JSON_RESPONSE':
      return select(figures as unknown as JsonValue, assertion.property ?? '');
    default:
      return { values: [], unusable: `an ICMP check has no source ${assertion.source}` };
  }
}
