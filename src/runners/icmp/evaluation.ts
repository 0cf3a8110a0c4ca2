/** Evaluates the replies to an ICMP check. */

import { evaluateAssertions } from '../assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, JsonValue } from '../core/assertion.ts';
import { conclude, type Expectations, withNote } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import type { FaultData } from '../network/fault.ts';
import type { PingStatistics } from './statistics.ts';

export interface PacketLossLimits {
  /** Percent of lost packets from which the check is degraded; null or absent disables it. */
  readonly degradedPacketLossThreshold?: number | null;
  /** Percent of lost packets from which it fails; null or absent: only if all are lost. */
  readonly maxPacketLossThreshold?: number | null;
}

interface IcmpEvidence {
  readonly check: Expectations & PacketLossLimits;
  readonly assertions: readonly Assertion[];
  /** Undefined if no packet could be sent. */
  readonly statistics: PingStatistics | undefined;
  readonly fault: FaultData | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The check passes if any reply arrived, unless an assertion or threshold fails. */
export const icmpEvaluation: Evaluation<IcmpEvidence, RunOutcome> = {
  name: 'icmp',
  run({ check, assertions, statistics, fault, details }) {
    const results =
      statistics === undefined
        ? []
        : evaluateAssertions(assertions, (assertion) => selectSubject(assertion, statistics));
    const { maxPacketLossThreshold: maxLoss = null, degradedPacketLossThreshold: degradedLoss = null } =
      check;
    const loss = statistics?.packetLoss ?? 0;
    const isOverLimit = maxLoss !== null && fault === undefined && loss >= maxLoss && loss > 0;
    const outcome = conclude(
      {
        networkErrors: fault === undefined ? [] : [fault.message],
        timedOut: statistics?.packetsReceived === 0,
        faults: [],
        exceeded: isOverLimit ? [`${loss} % of the packets were lost, the limit is ${maxLoss} %`] : [],
        assertions: results,
        unanswered: assertions.length - results.length,
        responseTime: statistics?.latency.avg ?? null,
        details: { ...details, assertions: results },
      },
      check,
    );
    const isLossy = degradedLoss !== null && loss >= degradedLoss && loss > 0;
    if (!isLossy || outcome.errors.length > 0) return outcome;
    const note = `${loss} % of the packets were lost (degraded from ${degradedLoss} %)`;
    return { ...outcome, isDegraded: true, details: withNote(outcome.details, note) };
  },
};

const LATENCIES = ['min', 'avg', 'max', 'stdDev', 'jitter'] as const;

function selectSubject(assertion: Assertion, statistics: PingStatistics): Subject {
  const { latency, packetLoss } = statistics;
  switch (assertion.source) {
    case 'LATENCY': {
      const property = assertion.property?.trim() || 'avg';
      const name = LATENCIES.find((one) => one.toLowerCase() === property.toLowerCase());
      if (name === undefined)
        return invalidSubject(`LATENCY has no property ${property}: use ${LATENCIES.join(', ')}`);
      return selectLatency(latency[name]);
    }
    case 'RESPONSE_TIME':
      return selectLatency(latency.avg);
    case 'PACKET_LOSS':
      return measured(packetLoss);
    case 'JSON_RESPONSE':
      return selectFrom(complete(statistics as unknown as JsonValue), (document) =>
        selectJsonPath(document, assertion.property ?? ''),
      );
    default:
      return invalidSubject(`unknown assertion source for ICMP checks: ${assertion.source}`);
  }
}

/** Without a reply there is no latency. */
const selectLatency = (latency: number | null): Subject =>
  selectFrom(complete(latency), (value) =>
    value === null ? { values: [], absence: 'no packet was answered' } : { values: [value] },
  );
