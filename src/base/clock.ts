/** Time as a value that is handed in, so that days run in milliseconds in tests. */
import { setTimeout as delay } from 'node:timers/promises';

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
  async sleep(ms, signal) {
    try {
      let left = Math.max(0, ms);
      for (; left > LONGEST_TIMER; left -= LONGEST_TIMER)
        await delay(LONGEST_TIMER, undefined, signal ? { signal } : {});
      await delay(left, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};
