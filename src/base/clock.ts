/** Defines the clock that code receives as a value, so that tests simulate days in milliseconds. */
import type { AbortSignalLike } from './abort.ts';

export interface Clock {
  /** Milliseconds since the epoch; may step when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps. Use it for durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
  /** Calls `then` after `ms` unless the returned function cancels it. It costs no promise and no signal. */
  timer(ms: number, then: () => void): CancelTimer;
}

export type CancelTimer = () => void;

/** The longest timer of Node, in ms. Node turns a longer one into 1 ms. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

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
 * Creates the sleep of a clock with timers. The promise timer of Node builds an error with a stack for each aborted
 * sleep.
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

/** Resolves in the next turn of the event loop, after events that have already arrived. */
export const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
