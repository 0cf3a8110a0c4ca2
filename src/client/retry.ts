/** Tries again what may be tried again, with back-off, full jitter and a budget. */
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import type { Repeat } from './request.ts';

/** What is known when an attempt's failure is turned into an error. */
export interface Failures {
  readonly attempts: number;
  /** From the first failure to the last, in ms. */
  readonly elapsedMs: number;
  /** Whether an attempt before the last one was sent and its answer lost. */
  readonly lostBefore: boolean;
}

export interface Failure {
  readonly kind: 'failure';
  /** Why, as a sentence without a full stop. */
  readonly reason: string;
  /**
   * `never`: it would be the same again. `unsent`: the server cannot have acted. `gateway`: a gateway did not reach the server, or
   * lost its answer. `unknown`: nobody knows.
   */
  readonly repeatability: 'never' | 'unsent' | 'gateway' | 'unknown';
  /** Whether the request was sent and its answer lost. */
  readonly lost: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether this machine itself said that nothing listens at the address. */
  readonly noListener: boolean;
  error(failures: Failures): Error;
}

export type Outcome<T> = { readonly kind: 'done'; readonly value: T } | Failure;

export interface RetryPolicy {
  readonly repeat: Repeat;
  /** For how long after the first failure another attempt may begin, in ms. */
  readonly budgetMs: number;
  /** The same after a failure with `noListener`: nobody waits for a service of this machine that was never started. */
  readonly noListenerBudgetMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal?: AbortSignal | undefined;
  /** Told before each wait; `attempt` is the number of the one that follows. */
  onWait(failure: Failure, attempt: number, waitMs: number): void;
}

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
/** The floor of every wait, so that neither chance nor a server can make it spin. */
const MIN_WAIT_MS = 50;

/** Full jitter: anything between nothing and a ceiling that doubles. */
const computeBackoff = (failures: number, random: Random): number =>
  Math.round(random.next() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1)));

/** The failures that each kind of request is repeated after. */
const REPEATED: Readonly<Record<Repeat, readonly Failure['repeatability'][]>> = {
  safe: ['unsent', 'gateway', 'unknown'],
  gateway: ['unsent', 'gateway'],
  unsent: ['unsent'],
  never: [],
};

/** The first good value of an attempt; else throws the last failure's error, or the signal's reason. */
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
    const waitMs = Math.max(MIN_WAIT_MS, outcome.retryAfterMs || computeBackoff(number, random));
    const budgetMs = outcome.noListener ? policy.noListenerBudgetMs : policy.budgetMs;
    if (!REPEATED[repeat].includes(outcome.repeatability) || elapsedMs + waitMs > budgetMs)
      throw outcome.error({ attempts: number, elapsedMs, lostBefore });
    lostBefore ||= outcome.lost;
    policy.onWait(outcome, number + 1, waitMs);
    await clock.sleep(waitMs, signal);
  }
}
