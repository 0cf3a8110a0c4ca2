/** How long a run waits for its target: one wait for all that it does, told apart from the run's own deadline. */

import type { Clock } from '../../base/clock.ts';
import type { AbortSignalLike } from '../../base/fast-abort-controller.ts';
import type { RunContext } from '../types.ts';

export interface Deadline {
  readonly clock: Clock;
  readonly signal: AbortSignalLike;
  /** The whole wait, in ms, for messages. */
  readonly timeoutMs: number;
  /** Milliseconds that are left of it; 0 where it is over. */
  remainingMs(): number;
}

/** What is kept of the time of a run for what follows the wait, in ms. */
const RESERVE_MS = 3000;

/** What is waited for within a run that may take `context.timeoutMs`, and within `mostMs`. */
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
 * Opens something and settles once: with its result, its fault, `late()` after `ms`, or the signal's reason. `open` gives
 * what ends it, called unless it succeeds.
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

/** Milliseconds, to microseconds: the clock gives no more. */
export const roundMs = (ms: number): number => Math.round(ms * 1000) / 1000;
