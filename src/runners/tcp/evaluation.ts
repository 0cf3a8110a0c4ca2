/** Evaluates the response to a TCP check. */
import { complete, type Observed } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import { conclude, type Expectations } from '../conclude.ts';
import type { FaultData } from '../network/fault.ts';
import type { Evaluation, RunOutcome } from '../types.ts';

interface TcpEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  /** The received text as UTF-8; undefined if none was expected. */
  readonly response: Observed<string> | undefined;
  /** Why no data arrived although the check expected some. */
  readonly silence: string | undefined;
  readonly fault: FaultData | undefined;
  /** Milliseconds. */
  readonly total: number;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Without assertions a connection passes. */
export const tcpEvaluation: Evaluation<TcpEvidence, RunOutcome> = {
  name: 'tcp',
  run({ check, assertions, response, silence, fault, total, details }) {
    const results =
      fault === undefined
        ? evaluateAssertions(assertions, (assertion) =>
            selectSubject(assertion, response ?? complete(''), total),
          )
        : [];
    const failedOnSilence =
      silence !== undefined && results.some(({ source, passed }) => source === 'RESPONSE_DATA' && !passed);
    return conclude(
      {
        networkErrors: fault === undefined ? [] : [fault.message],
        timedOut: fault?.reason === 'timeout',
        faults: failedOnSilence ? [silence] : [],
        assertions: results,
        unanswered: assertions.length - results.length,
        responseTime: fault === undefined ? total : null,
        details: { ...details, assertions: results },
      },
      check,
    );
  },
};

function selectSubject(assertion: Assertion, response: Observed<string>, total: number): Subject {
  switch (assertion.source) {
    case 'RESPONSE_DATA':
      return selectFrom(response, (text) => ({ values: [text] }));
    case 'RESPONSE_TIME':
      return measured(total);
    default:
      return invalidSubject(`unknown assertion source for TCP checks: ${assertion.source}`);
  }
}
