/** Runs a URL check: asks for an address, follows where it leads, and judges the status of what answers. */
import { type AbortSignalLike, toAbortSignal } from '../base/fast-abort-controller.ts';
import type { Assertion } from './assertions/types.ts';
import { withCapture } from './http/add-capture.ts';
import { follow, sentRequest } from './http/send-request.ts';
import { headOf } from './http/report.ts';
import { targetUrl } from './http/parse-target-url.ts';
import type { HttpRequest } from './http/types.ts';
import { urlEvaluation } from './http/url-evaluation.ts';
import type { IpFamily } from './network/addresses.ts';
import { startDeadline } from './network/deadline.ts';
import type { RunContext, RunOutcome } from './types.ts';
import type { Expectations } from './conclude.ts';
import { expectationsOf } from './conclude.ts';

/** What the runner needs of a URL check. */
export interface UrlCheck extends Expectations {
  readonly request: {
    readonly url: string;
    /** Default GET. */
    readonly method?: string | null;
    /** Left out: IPv4 first. */
    readonly ipFamily?: IpFamily | null;
    /** Goes on whatever certificate there is. Default false. */
    readonly skipSSL?: boolean | null;
    /** Default true. */
    readonly followRedirects?: boolean | null;
    readonly assertions?: readonly Assertion[] | null;
  };
}

/** The longest that an answer is waited for, in ms: the longest run of the type (docs/gaps.md). */
const WAIT_MS = 30_000;

/**
 * Runs one attempt. Without an assertion on STATUS_CODE a status below 400 passes. Rejects with CannotRun where the check
 * cannot be run, and with the signal's reason once aborted.
 */
export async function run(check: UrlCheck, context: RunContext, signal: AbortSignalLike): Promise<RunOutcome> {
  const { url, method, ipFamily, skipSSL, followRedirects, assertions } = check.request;
  const request: HttpRequest = {
    ...{ url: targetUrl(url), method: method ?? 'GET', headers: [], ipFamily: ipFamily ?? undefined },
    ...{ skipSsl: skipSSL ?? false, followRedirects: followRedirects ?? true },
  };
  const startedAt = context.clock.monotonic();
  const { answer, ...exchanged } = await follow(request, context, startDeadline(context, signal, WAIT_MS));
  const evidence = {
    ...{ check: expectationsOf(check), assertions: assertions ?? [], request: sentRequest(request) },
    exchanged: { ...exchanged, answer: answer && headOf(answer) },
    secrets: context.secrets ?? [],
  };
  const outcome = await context.evaluate(urlEvaluation, evidence, signal);
  return withCapture(outcome, exchanged, context, toAbortSignal(signal), startedAt);
}
