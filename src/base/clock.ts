/** Time as a value that is handed in, so that days run in milliseconds in tests. */
import type { StopSignal } from './fast-abort-controller.ts';

export interface Clock {
  /** Milliseconds since the epoch; may step when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps. For durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: StopSignal): Promise<void>;
  /** Calls `then` after `ms` unless it is called off by what this answers: a sleep that costs no promise and no signal. */
  timer(ms: number, then: () => void): CallOff;
}

export type CallOff = () => void;

/** The longest that one timer of Node can wait, in ms: of a longer one it makes 1 ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: sleepBy(timer),
  timer,
};

function timer(ms: number, then: () => void): CallOff {
  let running: ReturnType<typeof setTimeout>;
  const wait = (left: number) => {
    running =
      left > LONGEST_TIMER
        ? setTimeout(() => wait(left - LONGEST_TIMER), LONGEST_TIMER)
        : setTimeout(then, left);
  };
  wait(Math.max(0, ms));
  return () => clearTimeout(running);
}

/**
 * The sleep of a clock that has timers. Not the promised timer of Node: that makes an error with its stack, of its own, of
 * each sleep that is broken off.
 */
export function sleepBy(timer: Clock['timer']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        callOff();
        reject(signal?.reason);
      };
      const callOff = timer(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop);
      return undefined;
    });
}
