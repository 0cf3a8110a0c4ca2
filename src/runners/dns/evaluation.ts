/** Formats and evaluates the answer to a DNS check. */

import { evaluateAssertions } from '../assertions/evaluate-assertions.ts';
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete, incomplete, type Observed } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, AssertionResult, JsonValue } from '../core/assertion.ts';
import { conclude, type Expectations, type Findings } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import { type ShapedAnswer, shapeAnswer, toStoredAnswer } from './answer.ts';
import { parseMessage } from './message.ts';
import type { Question } from './query.ts';

interface DnsEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  readonly question: Question;
  /** The well-formed reply, in base64. */
  readonly message: string;
  /** Milliseconds. */
  readonly responseTime: number;
}

interface DnsOutcome extends RunOutcome {
  /** The stored answer. */
  readonly answer: ReturnType<typeof toStoredAnswer>;
}

/**
 * Without assertions on the answer, a name must resolve: NOERROR, and a record of the queried type. An assertion on
 * RESPONSE_CODE replaces the rule of NOERROR.
 */
export const dnsEvaluation: Evaluation<DnsEvidence, DnsOutcome> = {
  name: 'dns',
  run({ check, assertions, question, message, responseTime }) {
    const shaped = shapeAnswer(question, parseMessage(Buffer.from(message, 'base64')));
    const results = evaluateAssertions(assertions, (assertion) =>
      selectSubject(assertion, shaped, responseTime),
    );
    const answer = toStoredAnswer(shaped);
    const outcome = conclude(
      {
        networkErrors: [],
        timedOut: false,
        ...findFaults(question, shaped, results),
        assertions: results,
        unanswered: 0,
        responseTime,
        details: { assertions: results },
      },
      check,
    );
    const { recordCount, recordsLeftOut } = answer;
    if (!outcome.hasFailures || recordsLeftOut === 0) return { ...outcome, answer };
    const note = `the answer has ${recordCount} records; the last ${recordsLeftOut} are not stored`;
    return { ...outcome, answer, errors: [...outcome.errors, note] };
  },
};

/** An assertion on RESPONSE_CODE overrules the rule of NOERROR; any on the answer, the rule of a record. */
function findFaults(
  question: Question,
  answer: ShapedAnswer,
  results: readonly AssertionResult[],
): Pick<Findings, 'faults' | 'overruled'> {
  const { Status } = answer.json;
  const name = `${question.name || '.'} ${question.type}`;
  const sources = results.map(({ source }) => source);
  const decide = (fault: string, isAsserted: boolean) =>
    isAsserted ? { faults: [], overruled: [`${name}: ${fault}`] } : { faults: [`${name}: ${fault}`] };
  if (Status !== 'NOERROR') {
    const alias = answer.chain.length > 1 ? `; the aliases are ${answer.chain.join(' → ')}` : '';
    return decide(`answered ${Status}${alias}`, sources.includes('RESPONSE_CODE'));
  }
  if (answer.fault === undefined) return { faults: [] };
  return decide(
    answer.fault,
    sources.some((source) => source !== 'RESPONSE_TIME'),
  );
}

/** An answer that is truncated even over TCP lacks records. */
const observe = (answer: ShapedAnswer): Observed<ShapedAnswer> =>
  answer.json.TC ? incomplete(answer, 'the server truncated its answer') : complete(answer);

function selectSubject(assertion: Assertion, answer: ShapedAnswer, responseTime: number): Subject {
  switch (assertion.source) {
    case 'RESPONSE_CODE':
      return selectFrom(complete(answer.json.Status), (code) => ({ values: [code], ignoreCase: true }));
    case 'RESPONSE_TIME':
      return measured(responseTime);
    case 'TEXT_ANSWER':
      return selectFrom(observe(answer), ({ text, rules }) => ({ values: [text], texts: rules }));
    case 'JSON_ANSWER':
      return selectFrom(observe(answer), ({ json, rules }) => ({
        ...selectJsonPath(
          json as unknown as JsonValue,
          rules.foldPath(assertion.property ?? ''),
          rules.ignoreCase,
        ),
        texts: rules,
      }));
    default:
      return invalidSubject(`unknown assertion source for DNS checks: ${assertion.source}`);
  }
}
