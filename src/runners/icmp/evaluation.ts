/** Judges the echoes that came back to an ICMP check. */
import { select } from '../assertions/jsonpath.ts';
import type { Assertion, JsonValue, Subject } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import type { FaultData } from '../network/fault.ts';
import type { Evaluation, RunOutcome } from '../types.ts';
import { conclude, type Expectations } from '../conclude.ts';
import type { Figures } from './statistics.ts';

export interface PacketLossLimits {
  /** Percent of lost packets at which the check counts as degraded; null or absent: never. */
  readonly degradedPacketLossThreshold?: number | null;
  /** Percent of lost packets at which it fails; null or absent: when all are lost. */
  readonly maxPacketLossThreshold?: number | null;
}

interface IcmpEvidence {
  readonly check: Expectations & PacketLossLimits;
  readonly assertions: readonly Assertion[];
  /** Undefined where no packet could be sent. */
  readonly figures: Figures | undefined;
  readonly fault: FaultData | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The check passes where any echo came back, unless an assertion or a threshold says otherwise. */
export const icmpEvaluation: Evaluation<IcmpEvidence, RunOutcome> = {
  name: 'icmp',
  run({ check, assertions, figures, fault, details }) {
    const judged =
      figures === undefined ? [] : evaluateAssertions(assertions, (assertion) => subjectOf(assertion, figures));
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
        details: { ...details, assertions: judged },
      },
      check,
    );
    const isLossy = some !== null && loss >= some && loss > 0;
    return isLossy && outcome.errors.length === 0 ? { ...outcome, isDegraded: true } : outcome;
  },
};

const LATENCIES = ['min', 'avg', 'max', 'stdDev', 'jitter'] as const;

function subjectOf(assertion: Assertion, figures: Figures): Subject {
  const { latency, packetLoss } = figures;
  switch (assertion.source) {
    case 'LATENCY': {
      const property = assertion.property?.trim() || 'avg';
      const name = LATENCIES.find((one) => one.toLowerCase() === property.toLowerCase());
      if (name === undefined)
        return { values: [], unusable: `LATENCY has no property ${property}: use ${LATENCIES.join(', ')}` };
      const value = latency[name];
      return value === null ? { values: [], absence: 'no packet was answered' } : { values: [value] };
    }
    case 'RESPONSE_TIME':
      return latency.avg === null
        ? { values: [], absence: 'no packet was answered' }
        : { values: [latency.avg] };
    case 'PACKET_LOSS':
      return { values: [packetLoss] };
    case 'JSON_RESPONSE':
      return select(figures as unknown as JsonValue, assertion.property ?? '');
    default:
      return { values: [], unusable: `unknown assertion source for ICMP checks: ${assertion.source}` };
  }
}
