/** Time as a value that is handed in, so that days run in milliseconds in tests. */
import type { AbortSignalLike } from './fast-abort-controller.ts';

export interface Clock {
  /** Milliseconds since the epoch; may step when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps. For durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
  /** Calls `then` after `ms` unless it is called off by what this answers: a sleep that costs no promise and no signal. */
  timer(ms: number, then: () => void): CancelTimer;
}

export type CancelTimer = () => void;

/** The longest that one timer of Node can wait, in ms: of a longer one it makes 1 ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: createSleep(timer),
  timer,
};

function timer(ms: number, then: () => void): CancelTimer {
  let running: ReturnType<typeof setTimeout>;
  const wait = (left: number) => {
    running =
      left > MAX_TIMER_MS
        ? setTimeout(() => wait(left - MAX_TIMER_MS), MAX_TIMER_MS)
        : setTimeout(then, left);
  };
  wait(Math.max(0, ms));
  return () => clearTimeout(running);
}

/**
 * The sleep of a clock that has timers. Not the promised timer of Node: that makes an error with its stack, of its own, of
 * each sleep that is broken off.
 */
export function createSleep(timer: Clock['timer']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        cancelTimer();
        reject(signal?.reason);
      };
      const cancelTimer = timer(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop);
      return undefined;
    });
}
