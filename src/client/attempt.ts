/** One attempt of a request: the key is revealed, the request sent, redirects followed, the answer judged. */
import type { Dispatcher } from 'undici';
import { unlessAborted } from '../base/race-with-abort.ts';
import type { Clock } from '../base/clock.ts';
import { NetworkError } from '../base/errors.ts';
import { type Judged, judge, redirectOf, requestIdOf } from './answer.ts';
import { CONNECT_TIMEOUT_MS } from './config.ts';
import { plainLine } from './error-body.ts';
import { exchange, type Fault, type WireAnswer } from './exchange.ts';
import { faultText, whereText } from './describe-fault.ts';
import { keyRemover } from './redact.ts';
import { comeBackText, refusedError } from './refused-error.ts';
import { type Plan, withKey } from './request.ts';
import type { Failure, Failures, Outcome } from './retry.ts';
import { parseRetryAfter } from './retry-after.ts';
import { createTracer } from './trace.ts';
import { duration } from './format-duration.ts';

/** A good answer. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T;
  /** The body as it came; empty where it is a file. */
  readonly text: string;
  /** The body where it is no text, of what was sent by hand. */
  readonly file?: Buffer;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
}

/** What attempts of one client share. */
export interface AttemptContext {
  readonly dispatcher: Dispatcher;
  readonly getKey: () => Promise<string>;
  readonly accountId: string | undefined;
  readonly clock: Clock;
  readonly trace: ((line: string) => void) | undefined;
  /** The proxy's host, for messages. */
  readonly proxy: string | undefined;
  readonly startCommand: string | undefined;
  /** Given what a good answer warns of (`x-warning`), on one line and without the key. */
  readonly onWarning?: (sentence: string) => void;
}

export interface AttemptOptions {
  readonly answerTimeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** The longest answer that is read, in bytes. */
  readonly mostBytes: number;
}

const MAX_REDIRECTS = 5;
const LONGEST_WARNING = 500;
/** Statuses after which nobody knows whether the server acted; of these, a gateway's say that its answer was lost. */
const TRANSIENT = [408, 429, 500, 502, 503, 504];
const LOST = [408, 502, 504];
const GATEWAY = [502, 503];

const history = ({ attempts, elapsedMs }: Failures): string | undefined =>
  attempts > 1 ? `tried ${attempts} times in ${duration(elapsedMs)}` : undefined;

const CHANGED = 'the request was sent and may have taken effect: check the result before you retry';

function networkFailure(
  plan: Plan,
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
  const reads = ['GET', 'HEAD', 'OPTIONS'].includes(plan.request.method);
  const mayHaveActed = !neverSent && !reads;
  return {
    kind: 'failure',
    reason: message,
    again: permanent ? 'never' : neverSent ? 'unsent' : 'unknown',
    lost: !neverSent,
    retryAfterMs: undefined,
    noListener,
    error: (failures) => {
      const acted = (mayHaveActed || (failures.lostBefore && !reads)) && plan.repeat !== 'safe';
      const hints = [acted ? CHANGED : undefined, hint, history(failures)].filter(Boolean);
      return new NetworkError(
        message,
        {
          endpoint: plan.endpoint,
          mayHaveActed: mayHaveActed || (failures.lostBefore && !reads),
          status,
          requestId,
        },
        { hint: hints.length > 0 ? hints.join('\n') : undefined, cause },
      );
    },
  };
}

function refusal(
  plan: Plan,
  context: AttemptContext,
  answer: WireAnswer,
  { text, where }: { readonly text: string; readonly where: string },
  hide: (text: string) => string,
): Failure {
  const { status, headers } = answer;
  const statusText = plainLine(hide(answer.statusText), 100) ?? '';
  const now = context.clock.now();
  const retryAfterMs = parseRetryAfter(headers['retry-after'], { date: headers.date, now });
  const unsent = status === 429 || (status === 503 && retryAfterMs !== undefined);
  return {
    kind: 'failure',
    reason: `the service responded with ${`${status} ${statusText}`.trim()}`,
    again: unsent
      ? 'unsent'
      : GATEWAY.includes(status)
        ? 'gateway'
        : TRANSIENT.includes(status)
          ? 'unknown'
          : 'never',
    lost: LOST.includes(status),
    retryAfterMs,
    noListener: false,
    error: (failures) =>
      refusedError(
        {
          status,
          statusText,
          text,
          endpoint: plan.endpoint,
          method: plan.request.method,
          origin: plan.request.url.origin,
          where,
          hasAccount: context.accountId !== undefined,
          requestId: requestIdOf(headers, hide),
          retryAfterMs,
          comeBack: retryAfterMs ? comeBackText(retryAfterMs, now) : undefined,
          history: history(failures),
          lostBefore: failures.lostBefore,
        },
        hide,
      ),
  };
}

/** Sends a plan once. Rejects only with the signal's reason, or with what `getKey` rejects with. */
export async function attemptOnce(
  plan: Plan,
  context: AttemptContext,
  { answerTimeoutMs, signal, mostBytes }: AttemptOptions,
  number: number,
): Promise<Outcome<Answer<unknown>>> {
  const { dispatcher, clock, proxy, startCommand } = context;
  // It may come from a program that asks a person.
  const asked = context.getKey();
  const key = await (signal ? unlessAborted(asked, signal) : asked);
  const hide = keyRemover(key);
  const headers = withKey(plan.request.headers, key);
  const tracer = context.trace && createTracer(context.trace, hide);
  const origin = plan.request.url.origin;
  const destination = { origin, proxy, startCommand };
  const where = whereText(destination);

  const exchangeAt = async (url: URL): Promise<WireAnswer | Fault> => {
    tracer?.sending(plan, url, number);
    const began = clock.monotonic();
    const limits = { connectTimeoutMs: CONNECT_TIMEOUT_MS, answerTimeoutMs, signal, mostBytes };
    const result = await exchange(dispatcher, { ...plan.request, url, headers }, limits);
    tracer?.answered(result, clock.monotonic() - began);
    return result;
  };
  const unusable = (
    { status, headers }: WireAnswer,
    { why, hint }: { why: string; hint?: string },
  ): Failure =>
    networkFailure(plan, {
      message: hide(`${where} ${why}`),
      hint,
      status,
      requestId: requestIdOf(headers, hide),
      neverSent: false,
      permanent: false,
    });

  let url = plan.request.url;
  for (let redirects = 0; ; redirects++) {
    const result = await exchangeAt(url);
    if (result.kind === 'fault') {
      const told = faultText(result, destination, { answerTimeoutMs, mostBytes });
      return networkFailure(plan, { ...told, message: hide(told.message), cause: result.error });
    }
    const redirect = redirectOf(result, url, plan.request.method);
    if (redirect && 'follow' in redirect) {
      if (redirects === MAX_REDIRECTS) return unusable(result, { why: 'redirects too many times' });
      url = redirect.follow;
      continue;
    }
    const judged: Judged = redirect?.refused ?? (await judge(result, plan.expected, { origin, mostBytes }));
    if (judged.kind === 'unusable') return unusable(result, judged);
    if (judged.kind === 'refused') return refusal(plan, context, result, { text: judged.text, where }, hide);
    const warning = plainLine(hide(result.headers['x-warning'] ?? ''), LONGEST_WARNING);
    if (warning !== undefined) context.onWarning?.(warning);
    const { body, text, file } = judged;
    const answer = {
      status: result.status,
      body,
      text,
      ...(file === undefined ? {} : { file }),
      headers: result.headers,
      requestId: requestIdOf(result.headers, hide),
    };
    return { kind: 'done', value: answer };
  }
}
