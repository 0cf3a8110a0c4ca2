/** Judges what came back to a URL check: the status of the answer, its time, and the check's assertions. */
import type { Assertion, Subject } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import { createScrubber } from '../scrub.ts';
import type { Evaluation, RunOutcome } from '../types.ts';
import { conclude, type Expectations } from '../conclude.ts';
import { exchangeDetails, type Head, httpFindings, requestDetails } from './report.ts';
import type { Exchanged, SentRequest } from './types.ts';

interface UrlEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  readonly request: SentRequest;
  readonly exchanged: Exchanged<Head>;
  readonly secrets: readonly string[];
}

/** Without an assertion on STATUS_CODE a status below 400 passes. */
export const urlEvaluation: Evaluation<UrlEvidence, RunOutcome> = {
  name: 'url',
  run({ check, assertions, request, exchanged, secrets }) {
    const { answer, fault, totalMs } = exchanged;
    const judged =
      answer === undefined || fault !== undefined
        ? []
        : evaluateAssertions(assertions, (assertion) => subjectOf(assertion, answer, totalMs));
    const scrub = createScrubber(secrets);
    const details = {
      request: requestDetails(request, scrub),
      ...exchangeDetails(exchanged, scrub),
      assertions: judged,
    };
    return conclude(httpFindings(exchanged, judged, details, scrub), check);
  },
};

function subjectOf(assertion: Assertion, answer: Head, totalMs: number): Subject {
  switch (assertion.source) {
    case 'STATUS_CODE':
      return { values: [answer.status] };
    case 'RESPONSE_TIME':
      return { values: [totalMs] };
    default:
      return { values: [], unusable: `unknown assertion source for URL checks: ${assertion.source}` };
  }
}
