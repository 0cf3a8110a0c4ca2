/**
 * How often each key may ask: so many requests in any stretch of time of a length, by the clock that nobody sets. Not a plugin's:
 * that begins a stretch with the first request, so that twice as many fit about its end, and costs more than all else at the door.
 */
import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { tooManyRequests } from '../api/problem.ts';
import { clientAddress, clientRateLimitKey } from './client-address.ts';

/** So many keys are remembered, those that asked last. */
const MAX_KEYS = 5000;
/** What has passed is thrown away once it is so much, and half of all. */
const MAX_EXPIRED = 1000;

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** How a key stands with its request. */
export interface RateLimitStatus {
  readonly isExceeded: boolean;
  /** How many more it may make now. */
  readonly remaining: number;
  /** Until the oldest that counts counts no more, in ms. */
  readonly resetMs: number;
}

/** When a key asked, the oldest first, from `first` on; what was refused does not count. */
interface RequestLog {
  times: number[];
  first: number;
}

/** Counts requests by key: one for each rate. */
export function createRateCounter({ requests, windowSeconds }: RateLimit, clock: Pick<Clock, 'monotonic'>) {
  const windowMs = windowSeconds * 1000;
  const logs = new Map<string, RequestLog>();
  let lastKey: string | undefined;

  /** The key's own, which becomes the last that asked. */
  function logOf(key: string): RequestLog {
    const log = logs.get(key) ?? { times: [], first: 0 };
    if (key === lastKey) return log;
    lastKey = key;
    logs.delete(key);
    logs.set(key, log);
    const [leastRecent] = logs.keys();
    if (leastRecent !== undefined && logs.size > MAX_KEYS) logs.delete(leastRecent);
    return log;
  }

  return (key: string): RateLimitStatus => {
    const now = clock.monotonic();
    const log = logOf(key);
    const { times } = log;
    while ((times[log.first] ?? now) <= now - windowMs) log.first += 1;
    if (log.first > MAX_EXPIRED && log.first * 2 > times.length) {
      log.times = times.slice(log.first);
      log.first = 0;
    }
    const isExceeded = log.times.length - log.first >= requests;
    if (!isExceeded) log.times.push(now);
    const oldest = log.times[log.first] ?? now;
    return {
      isExceeded,
      remaining: requests - (log.times.length - log.first),
      resetMs: oldest + windowMs - now,
    };
  };
}

/** Counts a request and tells how its key stands, in the headers of the answer. Throws `Problem` 429 where it is one too many. */
export function createRateLimiter(limit: RateLimit, clock: Pick<Clock, 'monotonic'>) {
  const count = createRateCounter(limit, clock);
  return (key: string, reply: FastifyReply): void => {
    const { isExceeded, remaining, resetMs } = count(key);
    reply.header('x-ratelimit-limit', limit.requests);
    reply.header('x-ratelimit-remaining', remaining);
    reply.header('x-ratelimit-reset', Math.ceil(resetMs / 1000));
    if (isExceeded) throw tooManyRequests(undefined, { max: limit.requests, ttl: resetMs });
  };
}

/**
 * Refuses an address that asks too often, with 429. This machine's own addresses are not counted: behind a proxy on it that is
 * not trusted all clients are one, and one of them would shut out the others.
 */
export function limitPerAddress(limit: RateLimit, clock: Pick<Clock, 'monotonic'>): onRequestHookHandler {
  const count = createRateCounter(limit, clock);
  return (request, _, done) => {
    if (isLoopback(clientAddress(request))) return done();
    const { isExceeded, resetMs } = count(clientRateLimitKey(request));
    return isExceeded ? done(tooManyRequests(undefined, { max: limit.requests, ttl: resetMs })) : done();
  };
}

/** Begins one request in each turn of the event loop. However many come, requests with a key, checks and timers go on between them. */
export function startOnePerLoopTurn(): onRequestHookHandler {
  const waiting: (() => void)[] = [];
  const startNext = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(startNext);
  };
  return (_request, _reply, done) => {
    waiting.push(done);
    if (waiting.length === 1) setImmediate(startNext);
  };
}
