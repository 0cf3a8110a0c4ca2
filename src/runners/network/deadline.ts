/** Limits how long a run waits for its target, separately from the time limit of the run. */

import type { AbortSignalLike } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunContext } from '../core/runner.ts';

export interface Deadline {
  readonly clock: Clock;
  readonly signal: AbortSignalLike;
  /** The whole timeout, in ms, for messages. */
  readonly timeoutMs: number;
  /** Returns the remaining milliseconds, at least 0. */
  remainingMs(): number;
}

/** Time of a run that is reserved for the work after the wait, in ms. */
const RESERVE_MS = 3000;

/** Starts a deadline of at most `maxMs` within the `context.timeoutMs` of the run. */
export function startDeadline(context: RunContext, signal: AbortSignalLike, maxMs: number): Deadline {
  const { clock, timeoutMs = maxMs } = context;
  const waitMs = Math.max(1, Math.min(maxMs, timeoutMs - Math.min(RESERVE_MS, timeoutMs / 4)));
  const endsAt = clock.monotonic() + waitMs;
  return { clock, signal, timeoutMs: waitMs, remainingMs: () => Math.max(0, endsAt - clock.monotonic()) };
}

export interface Settle<Result> {
  succeed(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Opens a resource and settles once: with its result, its fault, a timeout error after `ms`, or the reason of the
 * signal. `open` returns a function that closes it, called unless it succeeds.
 */
export function withTimeout<Result>(
  { clock, signal }: Pick<Deadline, 'clock' | 'signal'>,
  ms: number,
  createTimeoutError: () => Error,
  open: (settle: Settle<Result>) => () => void,
): Promise<Result> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<Result>((resolve, reject) => {
    let isSettled = false;
    let close: (() => void) | undefined;
    const finish = (): boolean => {
      if (isSettled) return false;
      isSettled = true;
      signal.removeEventListener('abort', onAbort);
      cancelTimer();
      return true;
    };
    const settle: Settle<Result> = {
      succeed(result) {
        if (finish()) resolve(result);
      },
      fail(error) {
        if (!finish()) return;
        close?.();
        reject(error);
      },
    };
    const onAbort = () => settle.fail(signal.reason);
    const cancelTimer = clock.timer(ms, () => settle.fail(createTimeoutError()));
    signal.addEventListener('abort', onAbort);
    try {
      close = open(settle);
    } catch (error) {
      settle.fail(error);
    }
  });
}

/** Rounds milliseconds to microseconds, the precision of the clock. */
export const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000;
