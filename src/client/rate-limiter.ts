/** Keeps a process under the documented rates by itself, so that it never earns a 429 of its own. */
import type { Clock } from '../base/clock.ts';

export type RateName = 'standard' | 'deprecated-listing' | 'agent';
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** docs/gaps.md: 600 per 60 s, and 5 per 10 s on the deprecated listing; agents ask and report for each run. */
export const DOCUMENTED_RATES: Readonly<Record<RateName, RateLimit>> = {
  standard: { requests: 600, perMs: 60_000 },
  'deprecated-listing': { requests: 5, perMs: 10_000 },
  agent: { requests: 6000, perMs: 60_000 },
};

/** A window is taken to be this much longer than documented: requests arrive closer together than they were sent. */
const MARGIN = 1.05;

export interface RateLimiter {
  /**
   * Takes the next place in the row: how many milliseconds to wait before sending. 0 as long as the window has room. Places
   * are given in the order of asking.
   */
  reserve(rate: RateName): number;
}

/**
 * A bucket of tokens a rate, each of which comes back one window after it was used: a burst may take all of them, and yet
 * no window, wherever the server lets it begin, sees more requests than documented.
 */
export function createRateLimiter(
  clock: Pick<Clock, 'monotonic'>,
  rates: Readonly<Record<RateName, RateLimit>> = DOCUMENTED_RATES,
): RateLimiter {
  const used = new Map<RateName, number[]>();
  return {
    reserve(rate) {
      const { requests, perMs } = rates[rate];
      const starts = used.get(rate) ?? [];
      used.set(rate, starts);
      const now = clock.monotonic();
      const oldest = starts.length < requests ? undefined : starts.shift();
      const start = oldest === undefined ? now : Math.max(now, oldest + perMs * MARGIN);
      starts.push(start);
      return start - now;
    },
  };
}
