/**
 * Limits requests per key and per address in a sliding window on the monotonic clock. The windows of
 * @fastify/rate-limit start with the first request: they allow twice the limit around their end, and cost more than all
 * other request handling.
 */
import type { FastifyReply, onRequestHookHandler } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { isLoopback } from '../../../base/ip-addresses.ts';
import { tooManyRequests } from '../api/problem.ts';
import { clientAddress, clientRateLimitKey } from './client-address.ts';

/** Number of keys to remember, those with the latest requests. */
const MAX_KEYS = 5000;
/** Expired requests are removed once there are this many and they are half of the log. */
const MAX_EXPIRED = 1000;

export interface RateLimit {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** The times of a key's accepted requests, oldest first, valid from index `first`. */
interface RequestLog {
  times: number[];
  first: number;
}

export function createRateCounter({ requests, windowSeconds }: RateLimit, clock: Pick<Clock, 'monotonic'>) {
  const windowMs = windowSeconds * 1000;
  const logs = new Map<string, RequestLog>();
  let lastKey: string | undefined;

  /** Returns the log of a key, and marks the key as the most recent. */
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

  return (key: string) => {
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
      /** Time until the oldest counted request expires, in ms. */
      resetMs: oldest + windowMs - now,
    };
  };
}

/** Returns a function that counts a request and sets the rate limit headers. It throws `Problem` 429 beyond the limit. */
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
 * Rejects requests of an address beyond the limit with 429. Addresses of this machine are exempt: behind an untrusted
 * local proxy all clients share one address, and one of them would block the others.
 */
export function limitPerAddress(limit: RateLimit, clock: Pick<Clock, 'monotonic'>): onRequestHookHandler {
  const count = createRateCounter(limit, clock);
  return (request, _, done) => {
    if (isLoopback(clientAddress(request))) return done();
    const { isExceeded, resetMs } = count(clientRateLimitKey(request));
    return isExceeded ? done(tooManyRequests(undefined, { max: limit.requests, ttl: resetMs })) : done();
  };
}

/** Starts one request per turn of the event loop, so that requests with a key, checks and timers run between them. */
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
