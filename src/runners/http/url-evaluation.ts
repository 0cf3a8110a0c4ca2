/** Evaluates the answer to a URL check: status, response time and assertions. */

import { evaluateAssertions } from '../assertions/evaluate-assertions.ts';
import { invalidSubject, measured, type Subject } from '../assertions/subject.ts';
import type { Assertion } from '../core/assertion.ts';
import { conclude, type Expectations } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import { createScrubber } from '../masking/scrub.ts';
import { describeExchange, describeRequest, type Head, toFindings } from './report.ts';
import type { HttpExchange, SentRequest } from './types.ts';

interface UrlEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  readonly request: SentRequest;
  readonly exchanged: HttpExchange<Head>;
  readonly secrets: readonly string[];
}

/** Without an assertion on STATUS_CODE a status below 400 passes. */
export const urlEvaluation: Evaluation<UrlEvidence, RunOutcome> = {
  name: 'url',
  run({ check, assertions, request, exchanged, secrets }) {
    const { answer, fault, totalMs } = exchanged;
    const results =
      answer === undefined || fault !== undefined
        ? []
        : evaluateAssertions(assertions, (assertion) => selectSubject(assertion, answer, totalMs));
    const scrub = createScrubber(secrets);
    const details = {
      request: describeRequest(request, scrub),
      ...describeExchange(exchanged, scrub),
      assertions: results,
    };
    const unanswered = assertions.length - results.length;
    return conclude({ ...toFindings(exchanged, results, details, scrub), unanswered }, check);
  },
};

function selectSubject(assertion: Assertion, answer: Head, totalMs: number): Subject {
  switch (assertion.source) {
    case 'STATUS_CODE':
      return measured(answer.status);
    case 'RESPONSE_TIME':
      return measured(totalMs);
    default:
      return invalidSubject(`unknown assertion source for URL checks: ${assertion.source}`);
  }
}
