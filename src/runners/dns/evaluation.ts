/** Formats and evaluates the answer to a DNS check. */
import { selectJsonPath } from '../assertions/jsonpath.ts';
import { complete } from '../assertions/observed.ts';
import { invalidSubject, measured, type Subject, selectFrom } from '../assertions/subject.ts';
import type { Assertion, AssertionResult, JsonValue } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import { conclude, type Expectations, type Findings } from '../conclude.ts';
import type { Evaluation, RunOutcome } from '../types.ts';
import { type ShapedAnswer, shapeAnswer, toStoredAnswer } from './answer.ts';
import { parseReply } from './message.ts';
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

/** Without an assertion on RESPONSE_CODE only NOERROR passes. */
export const dnsEvaluation: Evaluation<DnsEvidence, DnsOutcome> = {
  name: 'dns',
  run({ check, assertions, question, message, responseTime }) {
    const reply = parseReply(Buffer.from(message, 'base64'));
    if (reply === undefined) throw new Error('the reply is not a well-formed message');
    const shaped = shapeAnswer(question, reply);
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

/** An assertion on RESPONSE_CODE overrules the rule that the code must be NOERROR. */
function findFaults(
  question: Question,
  answer: ShapedAnswer,
  results: readonly AssertionResult[],
): Pick<Findings, 'faults' | 'overruled'> {
  const { Status } = answer.json;
  if (Status === 'NOERROR') return { faults: [] };
  const faults = [`${question.name || '.'} ${question.type}: answered ${Status}`];
  const isAsserted = results.some(({ source }) => source === 'RESPONSE_CODE');
  return isAsserted ? { faults: [], overruled: faults } : { faults };
}

function selectSubject(assertion: Assertion, answer: ShapedAnswer, responseTime: number): Subject {
  switch (assertion.source) {
    case 'RESPONSE_CODE':
      return selectFrom(complete(answer.json.Status), (code) => ({ values: [code], ignoreCase: true }));
    case 'RESPONSE_TIME':
      return measured(responseTime);
    case 'TEXT_ANSWER':
      return selectFrom(complete(answer), ({ text, records }) => ({
        values: [text],
        records,
        looseTabs: true,
      }));
    case 'JSON_ANSWER':
      return selectFrom(complete(answer.json as unknown as JsonValue), (document) =>
        selectJsonPath(document, assertion.property ?? ''),
      );
    default:
      return invalidSubject(`unknown assertion source for DNS checks: ${assertion.source}`);
  }
}
