/**
 * How often each key may ask: so many requests in any stretch of time of a length, by the clock that nobody sets. Not a plugin's:
 * that begins a stretch with the first request, so that twice as many fit about its end, and costs more than all else at the door.
 */
import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { tooMany } from '../api/problem.ts';

/** So many keys are remembered, those that asked last. */
const MOST_KEYS = 5000;
/** What has passed is thrown away once it is so much, and half of all. */
const MOST_PASSED = 1000;

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** How a key stands with its request. */
export interface Standing {
  readonly isRefused: boolean;
  /** How many more it may make now. */
  readonly left: number;
  /** Until the oldest that counts counts no more, in ms. */
  readonly untilMs: number;
}

/** When a key asked, the oldest first, from `first` on; what was refused does not count. */
interface Asked {
  times: number[];
  first: number;
}

/** Counts requests by key: one for each rate. */
export function rate({ requests, windowSeconds }: RateLimit, clock: Pick<Clock, 'monotonic'>) {
  const windowMs = windowSeconds * 1000;
  const known = new Map<string, Asked>();
  let last: string | undefined;

  /** The key's own, which becomes the last that asked. */
  function askedBy(key: string): Asked {
    const asked = known.get(key) ?? { times: [], first: 0 };
    if (key === last) return asked;
    last = key;
    known.delete(key);
    known.set(key, asked);
    const [longest] = known.keys();
    if (longest !== undefined && known.size > MOST_KEYS) known.delete(longest);
    return asked;
  }

  return (key: string): Standing => {
    const now = clock.monotonic();
    const asked = askedBy(key);
    const { times } = asked;
    while ((times[asked.first] ?? now) <= now - windowMs) asked.first += 1;
    if (asked.first > MOST_PASSED && asked.first * 2 > times.length) {
      asked.times = times.slice(asked.first);
      asked.first = 0;
    }
    const isRefused = asked.times.length - asked.first >= requests;
    if (!isRefused) asked.times.push(now);
    const oldest = asked.times[asked.first] ?? now;
    return {
      isRefused,
      left: requests - (asked.times.length - asked.first),
      untilMs: oldest + windowMs - now,
    };
  };
}

/** Counts a request and tells how its key stands, in the headers of the answer. Throws `Problem` 429 where it is one too many. */
export function admitting(limit: RateLimit, clock: Pick<Clock, 'monotonic'>) {
  const count = rate(limit, clock);
  return (key: string, reply: FastifyReply): void => {
    const { isRefused, left, untilMs } = count(key);
    reply.header('x-ratelimit-limit', limit.requests);
    reply.header('x-ratelimit-remaining', left);
    reply.header('x-ratelimit-reset', Math.ceil(untilMs / 1000));
    if (isRefused) throw tooMany(undefined, { max: limit.requests, ttl: untilMs });
  };
}
