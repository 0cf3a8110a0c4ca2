/** Evaluates the response to a TCP check. */
import { isUtf8 } from 'node:buffer';
import { evaluateAssertions } from '../assertions/evaluate-assertions.ts';
import { complete, type Observed } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, Selection } from '../core/assertion.ts';
import { conclude, type Expectations } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import type { FaultData } from '../network/fault.ts';

interface TcpEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  /** The received bytes, in base64; undefined if none were expected. */
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

interface ReceivedPart {
  readonly assertions: readonly Assertion[];
  /** In base64. */
  readonly response: string;
}

/** Returns whether all assertions on RESPONSE_DATA hold for what was received until now. */
export const tcpDataEvaluation: Evaluation<ReceivedPart, boolean> = {
  name: 'tcp-data',
  run: ({ assertions, response }) =>
    evaluateAssertions(assertions, () => selectFrom(complete(response), selectText)).every(
      ({ passed }) => passed,
    ),
};

/** Data that is not UTF-8 also reads as Latin-1, and data with NUL bytes as UTF-16, so that no text in it is missed. */
function selectText(base64: string): Selection {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  const readings = [
    text,
    ...(isUtf8(bytes) ? [] : [latin1.decode(bytes)]),
    ...(bytes.includes(0) ? readUtf16(bytes) : []),
  ];
  /** Captures of a regular expression have one reading. */
  const renderings = (value: string) => (value === text ? readings : [value]);
  return {
    values: [text],
    texts: {
      equals: (value, target) => renderings(value).includes(target),
      contains: (value, target) => renderings(value).some((reading) => reading.includes(target)),
      renderings,
    },
  };
}

const latin1 = new TextDecoder('windows-1252');
const utf16 = [new TextDecoder('utf-16le'), new TextDecoder('utf-16be')];

/** Characters may begin at even and at odd positions. */
const readUtf16 = (bytes: Buffer): readonly string[] =>
  utf16.flatMap((decoder) => [decoder.decode(bytes), decoder.decode(bytes.subarray(1))]);

function selectSubject(assertion: Assertion, response: Observed<string>, total: number): Subject {
  switch (assertion.source) {
    case 'RESPONSE_DATA':
      return selectFrom(response, selectText);
    case 'RESPONSE_TIME':
      return measured(total);
    default:
      return invalidSubject(`unknown assertion source for TCP checks: ${assertion.source}`);
  }
}
