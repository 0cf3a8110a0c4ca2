/** Retries attempts with backoff, full jitter and a time budget. */
import { exponentialBackoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Repeat } from './request.ts';

/** The history of failures from which an error is built. */
export interface Failures {
  readonly attempts: number;
  /** From the first failure to the last, in ms. */
  readonly elapsedMs: number;
  /** Whether an attempt before the last one was sent and its answer was lost. */
  readonly lostBefore: boolean;
}

export interface Failure {
  readonly kind: 'failure';
  /** The reason, as a sentence without a full stop. */
  readonly reason: string;
  /**
   * `never`: a retry would fail the same way. `unsent`: the server cannot have acted. `gateway`: a gateway did not
   * reach the server or lost its answer. `unknown`: the server may have acted.
   */
  readonly repeatability: 'never' | 'unsent' | 'gateway' | 'unknown';
  /** Whether the request was sent and its answer was lost. */
  readonly lost: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether this machine reported that no process listens on the port. */
  readonly noListener: boolean;
  error(failures: Failures): Error;
}

export type Outcome<T> = { readonly kind: 'done'; readonly value: T } | Failure;

export interface RetryPolicy {
  readonly repeat: Repeat;
  /** Time after the first failure in which another attempt may start, in ms. */
  readonly budgetMs: number;
  /** The budget after a failure with `noListener`: a local service that was never started is not worth waiting for. */
  readonly noListenerBudgetMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait; `attempt` is the number of the next one. */
  onWait(failure: Failure, attempt: number, waitMs: number): void;
}

const BACKOFF = { minMs: 500, maxMs: 10_000 };
/** Minimum wait, so that neither jitter nor a server can cause a busy loop. */
const MIN_WAIT_MS = 50;

/** The failures after which each kind of request is retried. */
const REPEATED: Readonly<Record<Repeat, readonly Failure['repeatability'][]>> = {
  safe: ['unsent', 'gateway', 'unknown'],
  gateway: ['unsent', 'gateway'],
  unsent: ['unsent'],
  never: [],
};

/** Returns the first successful value. Throws the error of the last failure, or the reason of the signal. */
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: (number: number) => Promise<Outcome<T>>,
): Promise<T> {
  const { repeat, clock, random, signal } = policy;
  let firstFailure: number | undefined;
  let lostBefore = false;
  for (let number = 1; ; number++) {
    const outcome = await attempt(number);
    if (outcome.kind === 'done') return outcome.value;
    const now = clock.monotonic();
    firstFailure ??= now;
    const elapsedMs = now - firstFailure;
    const backoffMs = Math.round(random.next() * exponentialBackoff(number, BACKOFF));
    const waitMs = Math.max(MIN_WAIT_MS, outcome.retryAfterMs || backoffMs);
    const budgetMs = outcome.noListener ? policy.noListenerBudgetMs : policy.budgetMs;
    if (!REPEATED[repeat].includes(outcome.repeatability) || elapsedMs + waitMs > budgetMs)
      throw outcome.error({ attempts: number, elapsedMs, lostBefore });
    lostBefore ||= outcome.lost;
    policy.onWait(outcome, number + 1, waitMs);
    await clock.sleep(waitMs, signal);
  }
}

const SECONDS = /^[+-]?\d{1,15}(\.\d+)?$/;
const IMF = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Parses the three forms of HTTP dates to milliseconds since the epoch; returns undefined for other text. */
function parseHttpDate(text: string): number | undefined {
  const asctime = ASCTIME.test(text);
  if (!asctime && !IMF.test(text) && !RFC_850.test(text)) return undefined;
  const at = Date.parse(asctime ? `${text} GMT` : text);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Returns milliseconds to wait, never negative; undefined if the header is absent or invalid. A date is relative to
 * the answer's Date header, so that wrong clocks do not matter, or to `now` without one.
 */
export function parseRetryAfter(
  value: string | undefined,
  context: { readonly date?: string | undefined; readonly now: number },
): number | undefined {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Math.max(0, Number(text) * 1000), Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text);
  if (at === undefined) return undefined;
  return Math.max(0, at - (parseHttpDate(context.date?.trim() ?? '') ?? context.now));
}
