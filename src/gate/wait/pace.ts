/** Decides when the next session may be read on its own, from what the deployment says about its rate limit. */
import type { Clock } from '../../base/clock.ts';
import { DOCUMENTED_RATES } from '../../client/index.ts';

/** The rate limit in the headers of a response. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the limit applies anew, in ms. */
  readonly resetMs: number;
}

/** The part of the limit that is left for other requests with the same key; as much may be used without pauses. */
const RESERVE = 1 / 5;
/** Minimum time between two reads, in ms. */
const MIN_GAP_MS = 20;
/** Minimum number of requests in the documented time, after any number of 429. */
const MIN_LIMIT = 60;
/** Bounds of the pause after a 429, in ms: a Retry-After of a day for one session must not stop the others. */
const PAUSE = { minMs: 1_000, maxMs: 60_000 };
/** A larger number of seconds is a time since the epoch. */
const MAX_SECONDS = 1e9;

/** Returns the quota in the headers of a response: `x-ratelimit-…`, or `ratelimit-…` of the IETF drafts. */
export function readQuota(headers: Readonly<Record<string, string>>): Quota | undefined {
  const [limit = NaN, remaining = NaN, reset = NaN] = ['limit', 'remaining', 'reset'].map((name) =>
    Number.parseFloat(headers[`ratelimit-${name}`] ?? headers[`x-ratelimit-${name}`] ?? ''),
  );
  const resetMs = reset * 1000 - (reset > MAX_SECONDS ? Date.parse(headers.date ?? '') : 0);
  return limit > 0 && remaining >= 0 && resetMs >= 0 ? { limit, remaining, resetMs } : undefined;
}

export type Pace = ReturnType<typeof createPace>;

/** Starts with the documented rate, until the deployment says more. */
export function createPace(clock: Pick<Clock, 'monotonic'>) {
  const { requests, perMs } = DOCUMENTED_RATES.standard;
  let limit = requests;
  let remaining = limit;
  let resetAt = clock.monotonic() + perMs;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let spentAt = Number.NEGATIVE_INFINITY;
  const renew = (): void => {
    const now = clock.monotonic();
    if (now < resetAt) return;
    // After a 429, the limit returns step by step.
    limit = Math.max(limit, Math.min(requests, limit * 2));
    remaining = limit;
    resetAt = now + perMs;
  };
  /** Returns how many sessions may be read on their own until the reset. */
  const room = (): number => {
    renew();
    return clock.monotonic() < pausedUntil ? 0 : remaining - limit * RESERVE;
  };
  /** Pauses all requests; the rate stays. */
  const pause = (retryAfterMs = 0): void => {
    const ms = Math.min(PAUSE.maxMs, Math.max(PAUSE.minMs, retryAfterMs));
    pausedUntil = Math.max(pausedUntil, clock.monotonic() + ms);
  };
  return {
    room,
    /** Returns the time between two reads at this rate, in ms. */
    gapMs: () => perMs / (limit * (1 - RESERVE)),
    /** Returns until when no request may be sent, after a 429 or at the limit: ms on the monotonic clock. */
    pausedUntil(): number {
      renew();
      return remaining < 1 ? Math.max(pausedUntil, resetAt) : pausedUntil;
    },
    /** Returns when the next read may be sent: soon while most of the limit is unused, then evenly until its reset. */
    nextAt(): number {
      const left = room();
      if (left < 1) return Math.max(pausedUntil, resetAt);
      const isUnused = remaining > limit * (1 - RESERVE);
      const gap = isUnused ? 0 : (resetAt - clock.monotonic()) / left;
      return Math.max(pausedUntil, spentAt + Math.max(MIN_GAP_MS, gap));
    },
    /** Counts a request. */
    spend(): void {
      spentAt = clock.monotonic();
      remaining -= 1;
    },
    learn(quota: Quota | undefined): void {
      if (quota === undefined) return;
      ({ limit, remaining } = quota);
      resetAt = clock.monotonic() + quota.resetMs;
    },
    pause,
    /** Pauses after a 429, and continues at half the rate. */
    slowDown(retryAfterMs: number | undefined): void {
      // Requests that were under way together are refused together.
      if (clock.monotonic() >= pausedUntil) limit = Math.max(MIN_LIMIT, limit / 2);
      pause(retryAfterMs);
      remaining = limit * (1 - RESERVE);
      resetAt = pausedUntil + perMs;
    },
  };
}
