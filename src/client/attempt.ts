/** Makes one attempt of a request: gets the key, sends the request, follows redirects and evaluates the answer. */
import type { Dispatcher } from 'undici';
import { raceWithAbort } from '../base/abort.ts';
import type { Clock } from '../base/clock.ts';
import { NetworkError } from '../base/errors.ts';
import { formatLongDuration } from '../base/format-duration.ts';
import { type AnswerEvaluation, evaluateAnswer, findRequestId, resolveRedirect } from './answer.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { describeFault, formatDestination } from './describe-fault.ts';
import { plainLine } from './error-body.ts';
import { exchange, type Fault, type WireAnswer } from './exchange.ts';
import { createKeyRedactor } from './redact.ts';
import { createRefusedError, formatRetryTime } from './refused-error.ts';
import { type RequestPlan, withKey } from './request.ts';
import type { Failure, Failures, Outcome } from './retry.ts';
import { parseRetryAfter } from './retry.ts';
import { createTracer } from './trace.ts';

/** A successful answer. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  /** The body as it was received; empty for a file. */
  readonly text: string;
  /** The body of a raw request if it is not text. */
  readonly file?: Buffer;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
}

/** Values that all attempts of a client share. */
export interface AttemptContext {
  readonly dispatcher: Dispatcher;
  readonly getKey: () => Promise<string>;
  readonly accountId: string | undefined;
  readonly clock: Clock;
  readonly trace: ((line: string) => void) | undefined;
  /** The proxy's host, for messages. */
  readonly proxy: string | undefined;
  readonly startCommand: string | undefined;
  /** Receives each warning of a successful answer (`x-warning`, `x-ignored-fields`), on one line and without the key. */
  readonly onWarning?: (sentence: string) => void;
}

export interface AttemptOptions {
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Maximum size of an answer, in bytes. */
  readonly maxBytes: number;
}

const MAX_REDIRECTS = 5;
const MAX_WARNING_LENGTH = 500;
/** After these statuses the server may have acted. With LOST_ANSWER_STATUSES a gateway lost the answer. */
const TRANSIENT_STATUSES = [408, 429, 500, 502, 503, 504];
const LOST_ANSWER_STATUSES = [408, 502, 504];
const GATEWAY_STATUSES = [502, 503];

const formatHistory = ({ attempts, elapsedMs }: Failures): string | undefined =>
  attempts > 1 ? `tried ${attempts} times in ${formatLongDuration(elapsedMs)}` : undefined;

const MAY_HAVE_ACTED_HINT =
  'the request was sent and may have taken effect: check the result before you retry';

function networkFailure(
  plan: RequestPlan,
  about: {
    readonly message: string;
    readonly hint?: string | undefined;
    readonly status?: number;
    readonly requestId?: string | undefined;
    readonly neverSent: boolean;
    readonly permanent: boolean;
    readonly noListener?: boolean;
    readonly cause?: Error;
  },
): Failure {
  const { message, hint, status, requestId, neverSent, permanent, noListener = false, cause } = about;
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(plan.request.method);
  const mayHaveActed = !neverSent && !isRead;
  return {
    kind: 'failure',
    reason: message,
    repeatability: permanent ? 'never' : neverSent ? 'unsent' : 'unknown',
    lost: !neverSent,
    retryAfterMs: undefined,
    noListener,
    error: (failures) => {
      const acted = (mayHaveActed || (failures.lostBefore && !isRead)) && plan.repeat !== 'safe';
      const hints = [acted ? MAY_HAVE_ACTED_HINT : undefined, hint, formatHistory(failures)].filter(Boolean);
      return new NetworkError(
        message,
        {
          endpoint: plan.endpoint,
          mayHaveActed: mayHaveActed || (failures.lostBefore && !isRead),
          status,
          requestId,
        },
        { hint: hints.length > 0 ? hints.join('\n') : undefined, cause },
      );
    },
  };
}

function refusal(
  plan: RequestPlan,
  context: AttemptContext,
  answer: WireAnswer,
  { text, destinationLabel }: { readonly text: string; readonly destinationLabel: string },
  redactKey: (text: string) => string,
): Failure {
  const { status, headers } = answer;
  const statusText = plainLine(redactKey(answer.statusText), 100) ?? '';
  const now = context.clock.now();
  const retryAfterMs = parseRetryAfter(headers['retry-after'], { date: headers.date, now });
  const unsent = status === 429 || (status === 503 && retryAfterMs !== undefined);
  return {
    kind: 'failure',
    reason: `the service responded with ${`${status} ${statusText}`.trim()}`,
    repeatability: unsent
      ? 'unsent'
      : GATEWAY_STATUSES.includes(status)
        ? 'gateway'
        : TRANSIENT_STATUSES.includes(status)
          ? 'unknown'
          : 'never',
    lost: LOST_ANSWER_STATUSES.includes(status),
    retryAfterMs,
    noListener: false,
    error: (failures) =>
      createRefusedError(
        {
          status,
          statusText,
          text,
          endpoint: plan.endpoint,
          isSpecified: plan.isSpecified,
          method: plan.request.method,
          origin: plan.request.url.origin,
          destinationLabel: destinationLabel,
          hasAccount: context.accountId !== undefined,
          requestId: findRequestId(headers, redactKey),
          retryAfterMs,
          retryHint: retryAfterMs ? formatRetryTime(retryAfterMs, now) : undefined,
          history: formatHistory(failures),
          lostBefore: failures.lostBefore,
        },
        redactKey,
      ),
  };
}

/** Sends a plan once. Rejects only with the reason of the signal or the error of `getKey`. */
export async function attemptOnce(
  plan: RequestPlan,
  context: AttemptContext,
  { answerTimeoutMs, signal, maxBytes }: AttemptOptions,
  number: number,
): Promise<Outcome<Answer<unknown>>> {
  const { dispatcher, clock, proxy, startCommand } = context;
  // The key may come from a program that prompts the user.
  const keyPromise = context.getKey();
  const key = await (signal ? raceWithAbort(keyPromise, signal) : keyPromise);
  const redactKey = createKeyRedactor(key);
  const headers = withKey(plan.request.headers, key);
  const tracer = context.trace && createTracer(context.trace, redactKey);
  const origin = plan.request.url.origin;
  const destination = { origin, proxy, startCommand };
  const destinationLabel = formatDestination(destination);

  const exchangeAt = async (url: URL): Promise<WireAnswer | Fault> => {
    tracer?.sending(plan, url, number);
    const began = clock.monotonic();
    const limits = { connectTimeoutMs: CONNECT_TIMEOUT_MS, answerTimeoutMs, signal, maxBytes };
    const result = await exchange(dispatcher, { ...plan.request, url, headers }, limits);
    tracer?.received(plan, url, result, clock.monotonic() - began);
    return result;
  };
  const unusable = (
    { status, headers }: WireAnswer,
    { why, hint }: { why: string; hint?: string },
  ): Failure =>
    networkFailure(plan, {
      message: redactKey(`${destinationLabel} ${why}`),
      hint,
      status,
      requestId: findRequestId(headers, redactKey),
      neverSent: false,
      permanent: false,
    });

  let url = plan.request.url;
  for (let redirects = 0; ; redirects++) {
    const result = await exchangeAt(url);
    if (result.kind === 'fault') {
      const description = describeFault(result, destination, { answerTimeoutMs, maxBytes });
      return networkFailure(plan, {
        ...description,
        message: redactKey(description.message),
        cause: result.error,
      });
    }
    const redirect = resolveRedirect(result, url, plan.request.method);
    if (redirect && 'follow' in redirect) {
      if (redirects === MAX_REDIRECTS) return unusable(result, { why: 'redirects too many times' });
      url = redirect.follow;
      continue;
    }
    const evaluation: AnswerEvaluation =
      redirect?.refused ?? (await evaluateAnswer(result, plan.expected, { origin, maxBytes }));
    if (evaluation.kind === 'unusable') return unusable(result, evaluation);
    if (evaluation.kind === 'refused')
      return refusal(plan, context, result, { text: evaluation.text, destinationLabel }, redactKey);
    const { 'x-warning': stated = '', 'x-ignored-fields': ignored } = result.headers;
    for (const text of [stated, ignored === undefined ? '' : `The service ignored fields: ${ignored}`]) {
      const warning = plainLine(redactKey(text), MAX_WARNING_LENGTH);
      if (warning !== undefined) context.onWarning?.(warning);
    }
    const { body, text, file } = evaluation;
    const answer = {
      status: result.status,
      body,
      text,
      ...(file === undefined ? {} : { file }),
      headers: result.headers,
      requestId: findRequestId(result.headers, redactKey),
    };
    return { kind: 'done', value: answer };
  }
}
