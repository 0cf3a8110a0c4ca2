/** Limits a process to the documented request rates, so that it does not cause a 429. */
import type { Clock } from '../base/clock.ts';

export type RateName = 'standard' | 'deprecated-listing' | 'agent';
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

/** docs/gaps.md: 600 per 60 s, and 5 per 10 s on the deprecated listing; agents claim and report for each run. */
export const DOCUMENTED_RATES: Readonly<Record<RateName, RateLimit>> = {
  standard: { requests: 600, perMs: 60_000 },
  'deprecated-listing': { requests: 5, perMs: 10_000 },
  agent: { requests: 6000, perMs: 60_000 },
};

/** Lengthens the documented window, because requests may arrive closer together than they were sent. */
const MARGIN = 1.05;

export interface RateLimiter {
  /**
   * Reserves a request and returns how many ms to wait before sending, 0 if the window has room. Requests are served
   * in order.
   */
  reserve(rate: RateName): number;
}

/**
 * Creates a token bucket for each rate. A token returns one window after its use, so a burst may use all of them, but
 * no window exceeds the documented rate, whenever the server starts it.
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
