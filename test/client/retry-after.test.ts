/** Retry-After in all the ways servers write it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '../../src/client/retry.ts';

const now = Date.parse('2026-11-21T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7000],
    ['1.5', 1500],
    ['-5', 0],
    ['Sat, 21 Nov 2026 10:00:30 GMT', 30_000],
    ['Saturday, 21-Nov-26 10:00:30 GMT', 30_000],
    ['Sat Nov 21 10:00:30 2026', 30_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
  ])('%j is %i ms', (value, ms) => {
    expect(parseRetryAfter(value, { now })).toBe(ms);
  });

  it.each([
    undefined,
    '',
    'soon',
    'tomorrow 1',
    '1 minute',
    'Sat, 99 Foo 2026 10:00:30 GMT',
    'NaN',
    '1e3',
    '2026-11-21',
  ])('%j is nonsense and ignored', (value) => {
    expect(parseRetryAfter(value, { now })).toBeUndefined();
  });

  it("counts a date from the answer's own Date, where that is a date", () => {
    const value = 'Sat, 21 Nov 2026 10:00:30 GMT';
    expect(parseRetryAfter(value, { now, date: 'Sat, 21 Nov 2026 10:00:20 GMT' })).toBe(10_000);
    expect(parseRetryAfter(value, { now, date: 'noon' })).toBe(30_000);
  });

  it('of any text never throws and is absent or a finite number that is not negative', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.double().map(String),
          fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
        ),
        fc.option(fc.string(), { nil: undefined }),
        (value, date) => {
          const ms = parseRetryAfter(value, { now, date });
          expect(ms === undefined || (Number.isFinite(ms) && ms >= 0)).toBe(true);
        },
      ),
    );
  });

  it('round-trips whole seconds and dates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000_000 }), (seconds) => {
        expect(parseRetryAfter(String(seconds), { now })).toBe(seconds * 1000);
        expect(parseRetryAfter(new Date(now + seconds * 1000).toUTCString(), { now })).toBe(seconds * 1000);
      }),
    );
  });
});
