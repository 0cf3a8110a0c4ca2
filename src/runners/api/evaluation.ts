/** Evaluates the answer to an API check and builds the stored details. */

import { evaluateAssertions, type Mask, maskStart } from '../assertions/evaluate-assertions.ts';
import { partOf } from '../assertions/observed.ts';
import type { Assertion } from '../core/assertion.ts';
import { conclude, type Expectations } from '../core/conclude.ts';
import type { Evaluation, RunOutcome } from '../core/runner.ts';
import { createCookieMask } from '../http/headers.ts';
import { describeExchange, describeRequest, type Head, toFindings } from '../http/report.ts';
import type { HttpExchange, SentRequest } from '../http/types.ts';
import { createScrubber } from '../masking/scrub.ts';
import { type ApiResponse, decodeAnswer, type EncodedAnswer, selectSubject } from './response.ts';
import type { PhaseResult } from './run-phase.ts';

export interface ApiEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  /** Undefined if no request was sent. */
  readonly request: SentRequest | undefined;
  readonly requestBody: string | undefined;
  readonly exchanged: HttpExchange<Head> | undefined;
  /** The answer with its body, unless `response` is set. */
  readonly answer?: EncodedAnswer | undefined;
  /** The answer after the teardown scripts. */
  readonly response?: ApiResponse;
  readonly phases: readonly PhaseResult[];
  readonly unusable: readonly string[];
  /** The secrets of the check and those that its scripts set. */
  readonly secrets: readonly string[];
}

/** Maximum number of stored characters of a body. */
const MAX_STORED_BODY = 100_000;
const MAX_STORED_REQUEST_BODY = 10_000;

export const apiEvaluation: Evaluation<ApiEvidence, RunOutcome> = { name: 'api', run: evaluate };

function evaluate(evidence: ApiEvidence): RunOutcome {
  const { check, assertions, request, requestBody, exchanged, phases, unusable, secrets } = evidence;
  const response = findResponse(evidence);
  const scrub = createScrubber(secrets);
  const results =
    exchanged === undefined || response === undefined
      ? []
      : evaluateAssertions(
          assertions,
          (assertion) => selectSubject(assertion, response, exchanged.totalMs),
          (assertion) => createMask(assertion, response, scrub),
        );
  const truncate = (text: string, maxLength: number) => maskStart(text, maxLength, scrub).slice(0, maxLength);
  const sentBody = requestBody === undefined ? null : truncate(requestBody, MAX_STORED_REQUEST_BODY);
  const described = exchanged === undefined ? NOTHING_SENT : describeExchange(exchanged, scrub);
  const details = {
    request: request === undefined ? null : { ...describeRequest(request, scrub), body: sentBody },
    ...described,
    ...(response === undefined
      ? {}
      : {
          response: { ...(described.response as object), ...storedBody(response, truncate) },
          notes: [...(described.notes as readonly string[]), ...(response.notes ?? [])],
        }),
    scripts: phases,
    assertions: results,
  };
  const findings =
    exchanged === undefined
      ? {
          networkErrors: [],
          faults: [],
          timedOut: false,
          assertions: [],
          responseTime: null,
          details,
        }
      : toFindings(exchanged, results, details, scrub);
  const unanswered = assertions.length - results.length;
  const outcome = conclude({ ...findings, unanswered, unusable }, check);
  return { ...outcome, errors: scrub(outcome.errors), details: scrub(outcome.details) };
}

function createMask(assertion: Assertion, { headers }: ApiResponse, scrub: Mask): Mask {
  if (assertion.source !== 'HEADERS') return scrub;
  const maskCookies = createCookieMask(headers, assertion);
  return (value) => scrub(maskCookies(value));
}

function findResponse({ exchanged, answer, response }: ApiEvidence): ApiResponse | undefined {
  if (exchanged?.fault !== undefined) return undefined;
  return response ?? (answer && decodeAnswer(answer));
}

const NOTHING_SENT = {
  response: null,
  address: null,
  proxy: null,
  tls: null,
  timing: null,
  redirects: [],
  notes: [],
  requestError: null,
  errorCode: null,
};

function storedBody(
  { status, body }: ApiResponse,
  truncate: (text: string, maxLength: number) => string,
): Readonly<Record<string, unknown>> {
  const text = partOf(body);
  return { status, body: truncate(text, MAX_STORED_BODY), isBodyCut: text.length > MAX_STORED_BODY };
}
