/** Runs a URL check: requests a URL, follows redirects, and evaluates the status of the answer. */
import { type AbortSignalLike, toAbortSignal } from '../../base/abort.ts';
import type { Assertion } from '../core/assertion.ts';
import type { Expectations } from '../core/conclude.ts';
import { toExpectations } from '../core/conclude.ts';
import type { RunContext, RunOutcome } from '../core/runner.ts';
import type { IpFamily } from '../network/addresses.ts';
import { startDeadline } from '../network/deadline.ts';
import { addCapture } from './add-capture.ts';
import { toHead } from './report.ts';
import { parseTargetUrl, sendRequest, toSentRequest } from './send-request.ts';
import type { HttpRequest } from './types.ts';
import { urlEvaluation } from './url-evaluation.ts';

/** The settings of a URL check that the runner needs. */
export interface UrlCheck extends Expectations {
  readonly request: {
    readonly url: string;
    /** Default GET. */
    readonly method?: string | null;
    /** Default: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    /** Accepts any certificate. Default false. */
    readonly skipSSL?: boolean | null;
    /** Default true. */
    readonly followRedirects?: boolean | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

/** Timeout in ms, equal to the longest run of the type (docs/gaps.md). */
const TIMEOUT_MS = 30_000;

/**
 * Runs one attempt. Without an assertion on STATUS_CODE a status below 400 passes. Rejects with CannotRun if the
 * check cannot run, and with the reason of an aborted signal.
 */
export async function run(
  check: UrlCheck,
  context: RunContext,
  signal: AbortSignalLike,
): Promise<RunOutcome> {
  const { url, method, ipFamily, skipSSL, followRedirects, assertions } = check.request;
  const request: HttpRequest = {
    ...parseTargetUrl(url),
    method: method ?? 'GET',
    headers: [],
    ipFamily: ipFamily ?? undefined,
    skipSsl: skipSSL ?? false,
    followRedirects: followRedirects ?? true,
    needsBody: false,
  };
  const startedAt = context.clock.monotonic();
  const { answer, ...exchanged } = await sendRequest(
    request,
    context,
    startDeadline(context, signal, TIMEOUT_MS),
  );
  const evidence = {
    check: toExpectations(check),
    assertions: assertions ?? [],
    request: toSentRequest(request),
    exchanged: { ...exchanged, answer: answer && toHead(answer) },
    secrets: context.secrets ?? [],
  };
  const outcome = await context.evaluate(urlEvaluation, evidence, signal);
  return addCapture(outcome, exchanged, context, toAbortSignal(signal), startedAt);
}
