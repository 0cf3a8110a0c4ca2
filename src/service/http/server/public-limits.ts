/** Limits on requests that need no key: how many an address may make, and how few are begun at once. */
import type { onRequestHookHandler } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { isLoopback } from '../../../base/loopback.ts';
import { tooMany } from '../api/problem.ts';
import { clientAddress, clientSource } from './client-address.ts';
import { type RateLimit, rate } from './rate-limits.ts';

/**
 * Refuses an address that asks too often, with 429. This machine's own addresses are not counted: behind a proxy on it that is
 * not trusted all clients are one, and one of them would shut out the others.
 */
export function perAddress(limit: RateLimit, clock: Pick<Clock, 'monotonic'>): onRequestHookHandler {
  const count = rate(limit, clock);
  return (request, _, done) => {
    if (isLoopback(clientAddress(request))) return done();
    const { isRefused, untilMs } = count(clientSource(request));
    return isRefused ? done(tooMany(undefined, { max: limit.requests, ttl: untilMs })) : done();
  };
}

/** Begins one request in each turn of the event loop. However many come, requests with a key, checks and timers go on between them. */
export function oneEachTurn(): onRequestHookHandler {
  const waiting: (() => void)[] = [];
  const begin = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(begin);
  };
  return (_request, _reply, done) => {
    waiting.push(done);
    if (waiting.length === 1) setImmediate(begin);
  };
}
