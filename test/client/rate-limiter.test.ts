/** However requests are asked for, no window of the documented length holds more than documented. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRateLimiter, DOCUMENTED_RATES } from '../../src/client/index.ts';

it('lets a whole burst through at once, then gives each place back a window later', () => {
  const limiter = createRateLimiter({ monotonic: () => 0 });
  const waits = Array.from({ length: 1201 }, () => limiter.reserve('standard'));
  expect(new Set(waits.slice(0, 600))).toEqual(new Set([0]));
  expect(new Set(waits.slice(600, 1200))).toEqual(new Set([63_000]));
  expect(waits[1200]).toBe(126_000);
});

it('keeps every window, wherever it begins', () => {
  const { requests, perMs } = DOCUMENTED_RATES['deprecated-listing'];
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 4000 }), { maxLength: 60 }), (pauses) => {
      let now = 0;
      const limiter = createRateLimiter({ monotonic: () => now });
      const starts = pauses.map((pause) => {
        now += pause;
        return now + limiter.reserve('deprecated-listing');
      });
      expect(starts).toEqual([...starts].sort((a, b) => a - b));
      for (const start of starts) {
        const within = starts.filter((other) => other >= start && other < start + perMs);
        expect(within.length).toBeLessThanOrEqual(requests);
      }
    }),
  );
});
