/**
 * How often each key may ask: so many requests in any stretch of time of a length, by the clock that nobody sets. The store that
 * comes with the plugin begins a stretch with the first request, so that twice as many fit about its end, and where the
 * machine's clock was set back it refuses until that has caught up.
 */
import type { FastifyRateLimitStore, FastifyRateLimitStoreCtor } from '@fastify/rate-limit';
import type { Clock } from '../../base/clock.ts';

/** So many keys are remembered, those that asked last. */
const MOST_KEYS = 5000;

/** A store for the plugin: one for each of the rates, as it asks for them. */
export function ratesBy(clock: Pick<Clock, 'monotonic'>): FastifyRateLimitStoreCtor {
  return class Rates implements FastifyRateLimitStore {
    /** When each key asked, the oldest first; what was refused does not count. */
    readonly #asked = new Map<string, number[]>();

    incr(
      key: string,
      callback: (error: Error | null, answer?: { current: number; ttl: number }) => void,
      windowMs = 0,
      most = 0,
    ): void {
      const now = clock.monotonic();
      const asked = this.#asked.get(key) ?? [];
      while ((asked[0] ?? now) <= now - windowMs) asked.shift();
      const current = asked.length + 1;
      if (current <= most) asked.push(now);
      this.#asked.delete(key);
      this.#asked.set(key, asked);
      const [longest] = this.#asked.keys();
      if (longest !== undefined && this.#asked.size > MOST_KEYS) this.#asked.delete(longest);
      callback(null, { current, ttl: (asked[0] ?? now) + windowMs - now });
    }

    child(): FastifyRateLimitStore {
      return new Rates();
    }
  };
}
