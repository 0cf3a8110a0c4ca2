/** Judges what came back to an API check, and says what is kept of it. */
import type { Assertion } from '../assertions/types.ts';
import { evaluateAssertions } from '../assertions.ts';
import { exchangeDetails, type Head, httpFindings, requestDetails } from '../http/report.ts';
import type { Exchanged, SentRequest } from '../http/types.ts';
import { createScrubber } from '../scrub.ts';
import type { Evaluation, RunOutcome } from '../types.ts';
import { conclude, type Expectations } from '../conclude.ts';
import type { PhaseEnd } from './run-phase.ts';
import { type ApiResponse, decodeAnswer, subjectOf } from './response.ts';

export interface ApiEvidence {
  readonly check: Expectations;
  readonly assertions: readonly Assertion[];
  /** Undefined where nothing was sent. */
  readonly request: SentRequest | undefined;
  readonly requestBody: string | undefined;
  readonly exchanged: Exchanged<Head> | undefined;
  /** The body of the answer as it came, in base64, where `response` is not there. */
  readonly body?: string | undefined;
  /** The answer as a teardown script left it. */
  readonly response?: ApiResponse;
  readonly phases: readonly PhaseEnd[];
  readonly unusable: readonly string[];
  /** Those of the check, and those that its scripts set. */
  readonly secrets: readonly string[];
}

/** Characters of bodies that are kept. */
const KEPT_BODY = 100_000;
const KEPT_REQUEST_BODY = 10_000;
/** Characters beyond those that are searched for secrets: half a secret would not be found. */
const BEYOND_KEPT = 64 * 1024;

export const apiEvaluation: Evaluation<ApiEvidence, RunOutcome> = { name: 'api', run: verdictOf };

function verdictOf(evidence: ApiEvidence): RunOutcome {
  const { check, assertions, request, requestBody, exchanged, phases, unusable, secrets } = evidence;
  const response = responseIn(evidence);
  const judged =
    exchanged === undefined || response === undefined
      ? []
      : evaluateAssertions(assertions, (assertion) => subjectOf(assertion, response, exchanged.totalMs));
  const scrub = createScrubber(secrets);
  const cut = (text: string, most: number) => scrub(text.slice(0, most + BEYOND_KEPT)).slice(0, most);
  const sent = requestBody === undefined ? null : cut(requestBody, KEPT_REQUEST_BODY);
  const told = exchanged === undefined ? NOTHING_SENT : exchangeDetails(exchanged, scrub);
  const details = {
    request: request === undefined ? null : { ...requestDetails(request, scrub), body: sent },
    ...told,
    ...(response === undefined ? {} : { response: { ...(told.response as object), ...kept(response, cut) } }),
    scripts: phases,
    assertions: judged,
  };
  const findings =
    exchanged === undefined
      ? {
          ...{ networkErrors: [], faults: [], timedOut: false },
          ...{ assertions: [], responseTime: null, details },
        }
      : httpFindings(exchanged, judged, details, scrub);
  const outcome = conclude({ ...findings, unusable }, check);
  return { ...outcome, errors: scrub(outcome.errors), details: scrub(outcome.details) };
}

function responseIn({ exchanged, body, response }: ApiEvidence): ApiResponse | undefined {
  if (response !== undefined || exchanged?.fault !== undefined) return response;
  const head = exchanged?.answer;
  return head === undefined || body === undefined ? undefined : decodeAnswer({ ...head, body });
}

const NOTHING_SENT = {
  ...{ response: null, address: null, proxy: null, tls: null, timing: null },
  ...{ redirects: [], notes: [], requestError: null, errorCode: null },
};

function kept(
  { status, body }: ApiResponse,
  cut: (text: string, most: number) => string,
): Readonly<Record<string, unknown>> {
  return { status, body: cut(body, KEPT_BODY), isBodyCut: body.length > KEPT_BODY };
}
