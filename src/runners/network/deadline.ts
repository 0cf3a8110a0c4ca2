/** How long a run waits for its target: one wait for all that it does, told apart from the run's own deadline. */

import type { Clock } from '../../base/clock.ts';
import type { StopSignal } from '../../base/fast-abort-controller.ts';
import type { RunContext } from '../types.ts';

export interface Patience {
  readonly clock: Clock;
  readonly signal: StopSignal;
  /** The whole wait, in ms, for messages. */
  readonly waitMs: number;
  /** Milliseconds that are left of it; 0 where it is over. */
  left(): number;
}

/** What is kept of the time of a run for what follows the wait, in ms. */
const RESERVE_MS = 3000;

/** What is waited for within a run that may take `context.timeoutMs`, and within `mostMs`. */
export function patienceOf(context: RunContext, signal: StopSignal, mostMs: number): Patience {
  const { clock, timeoutMs = mostMs } = context;
  const waitMs = Math.max(1, Math.min(mostMs, timeoutMs - Math.min(RESERVE_MS, timeoutMs / 4)));
  const endsAt = clock.monotonic() + waitMs;
  return { clock, signal, waitMs, left: () => Math.max(0, endsAt - clock.monotonic()) };
}

export interface Settle<Result> {
  succeed(result: Result): void;
  fail(error: unknown): void;
}

/**
 * Opens something and settles once: with its result, its fault, `late()` after `ms`, or the signal's reason. `open` gives
 * what ends it, called unless it succeeds.
 */
export function within<Result>(
  { clock, signal }: Pick<Patience, 'clock' | 'signal'>,
  ms: number,
  late: () => Error,
  open: (settle: Settle<Result>) => () => void,
): Promise<Result> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise<Result>((resolve, reject) => {
    let isOver = false;
    let giveUp: (() => void) | undefined;
    const finish = (): boolean => {
      if (isOver) return false;
      isOver = true;
      signal.removeEventListener('abort', onAbort);
      callOff();
      return true;
    };
    const settle: Settle<Result> = {
      succeed(result) {
        if (finish()) resolve(result);
      },
      fail(error) {
        if (!finish()) return;
        giveUp?.();
        reject(error);
      },
    };
    const onAbort = () => settle.fail(signal.reason);
    const callOff = clock.timer(ms, () => settle.fail(late()));
    signal.addEventListener('abort', onAbort);
    try {
      giveUp = open(settle);
    } catch (error) {
      settle.fail(error);
    }
  });
}

/** Milliseconds, to microseconds: the clock gives no more. */
export const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;
