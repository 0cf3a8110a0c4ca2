/** Time as a value that is handed in, so that days run in milliseconds in tests. */

export interface Clock {
  /** Milliseconds since the epoch; may step when the machine's clock is set. */
  now(): number;
  /** Milliseconds from an arbitrary start; never steps. For durations and deadlines. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The longest that one timer of Node can wait, in ms: of a longer one it makes 1 ms. */
const LONGEST_TIMER = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  // Not the promised timer of Node: that makes an error with its stack, of its own, of each sleep that is broken off.
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const wait = (left: number) => {
        timer = setTimeout(
          () => {
            if (left > LONGEST_TIMER) return wait(left - LONGEST_TIMER);
            signal?.removeEventListener('abort', stop);
            return resolve();
          },
          Math.min(left, LONGEST_TIMER),
        );
      };
      signal?.addEventListener('abort', stop, { once: true });
      wait(Math.max(0, ms));
      return undefined;
    }),
};
