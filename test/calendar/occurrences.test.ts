/** When windows are open, by the clock of their time zone; and the same as what Temporal says. */
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it, vi } from 'vitest';
import {
  occurrenceAt,
  occurrences,
  occurrencesAround,
  take,
  type WindowTimes,
} from '../../src/calendar/occurrences.ts';
import { instantAt, isZone, wallTimeAt, zoneOf } from '../../src/calendar/zone.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC'];
const HOUR = 3_600_000;

/** Starts as a clock in the zone shows them. */
function starts(window: WindowTimes, most: number, from = 0): string[] {
  return take(occurrences(window, from), most).map(({ startsAt }) =>
    new Temporal.ZonedDateTime(BigInt(startsAt) * 1_000_000n, String(window.timezone ?? 'UTC')).toString({
      timeZoneName: 'never',
      smallestUnit: 'minute',
    }),
  );
}

const window = (startsAt: string, hours: number, more: WindowTimes): WindowTimes => ({
  startsAt,
  endsAt: new Date(Date.parse(startsAt) + hours * HOUR).toISOString(),
  ...more,
});

describe('a window with exceptions', () => {
  const at = (day: number, hour = 10) => new Date(Date.UTC(2026, 10, day, hour)).toISOString();
  const daily = window(at(1), 2, {
    repeatUnit: 'DAY',
    exceptions: [
      { startsAt: at(3), movedTo: null },
      { startsAt: at(4), movedTo: { startsAt: at(4, 20), endsAt: at(5, 9) } },
      { startsAt: at(6), movedTo: { startsAt: at(5, 13), endsAt: at(5, 14) } },
    ],
  });
  const shown = (found: readonly ({ startsAt: number } | undefined)[]) =>
    found.map((each) => each && new Date(each.startsAt).toISOString());

  it.each([
    [null],
    ['no list'],
    [[null, 7, { movedTo: null }, { startsAt: 'never', movedTo: null }]],
    [[{ startsAt: at(2) }, { startsAt: at(2), movedTo: {} }]],
    [[{ startsAt: at(2), movedTo: { startsAt: at(2, 9), endsAt: at(2, 9) } }]],
  ])('keeps its times if its exceptions are %j', (exceptions) => {
    expect(shown(take(occurrences({ ...daily, exceptions }, Date.parse(at(1))), 2))).toEqual([at(1), at(2)]);
  });

  it('leaves out those that were cancelled, and has others at their new times', () => {
    expect(shown(take(occurrences(daily, Date.parse(at(1))), 6))).toEqual([
      ...[at(1), at(2), at(4, 20), at(5), at(5, 13), at(7)],
    ]);
    const [moved] = take(occurrences(daily, Date.parse(at(4, 12))), 1);
    expect(moved).toEqual({
      ...{ startsAt: Date.parse(at(4, 20)), endsAt: Date.parse(at(5, 9)) },
      movedFrom: Date.parse(at(4)),
    });
  });

  it.each([
    [at(3, 11), at(2), at(4, 20)],
    [at(4, 11), at(2), at(4, 20)],
    [at(5, 8), at(4, 20), at(5)],
    [at(6, 11), at(5, 13), at(7)],
    [at(8, 0), at(7), at(8)],
  ])('has others around %s', (instant, last, next) => {
    const around = occurrencesAround(daily, Date.parse(instant));
    expect(shown([around.last, around.next])).toEqual([last, next]);
    const [first] = take(occurrences(daily, Date.parse(instant)), 1);
    const isOpen = around.last !== undefined && around.last.endsAt > Date.parse(instant);
    expect(first).toEqual(isOpen ? around.last : around.next);
  });

  it('of which many in a row were cancelled still has the last one before them', () => {
    const exceptions = Array.from({ length: 40 }, (_, index) => ({ startsAt: at(2 + index), movedTo: null }));
    const around = occurrencesAround({ ...daily, exceptions }, Date.parse(at(40)));
    expect(shown([around.last, around.next])).toEqual([at(1), at(42)]);
  });

  it('that does not repeat is moved anywhere, or is never open', () => {
    const once = window(at(10), 2, { repeatUnit: null });
    const movedTo = { startsAt: at(1), endsAt: at(1, 11) };
    const earlier = { ...once, exceptions: [{ startsAt: at(10), movedTo }] };
    expect(shown([...occurrences(earlier, Date.parse(at(1)))])).toEqual([at(1)]);
    expect([...occurrences(earlier, Date.parse(at(2)))]).toEqual([]);
    expect(shown([occurrencesAround(earlier, Date.parse(at(10))).last])).toEqual([at(1)]);
    const never = { ...once, exceptions: [{ startsAt: at(10), movedTo: null }] };
    expect([...occurrences(never, 0)]).toEqual([]);
  });
});

describe('a window', () => {
  it('that does not repeat is open once, up to its end', () => {
    const once = window('2026-11-22T01:00:00Z', 2, { repeatUnit: null });
    const at = (time: string) => occurrenceAt(once, Date.parse(time)) !== undefined;
    expect(
      ['2026-11-22T00:59:59Z', '2026-11-22T01:00:00Z', '2026-11-22T02:59:59Z', '2026-11-22T03:00:00Z'].map(
        at,
      ),
    ).toEqual([false, true, true, false]);
    expect([...occurrences(once, Date.parse('2026-11-22T03:00:00Z'))]).toEqual([]);
  });

  it('keeps its time of day across changes of clocks', () => {
    const nightly = window('2026-10-23T21:00:00Z', 1, { timezone: 'Europe/Berlin', repeatUnit: 'DAY' });
    expect(starts(nightly, 4)).toEqual([
      '2026-10-23T23:00+02:00',
      '2026-10-24T23:00+02:00',
      '2026-10-25T23:00+01:00',
      '2026-10-26T23:00+01:00',
    ]);
  });

  it('falls on the last day of a shorter month, and on its own day again after it', () => {
    const monthly = window('2027-12-31T10:00:00Z', 1, { repeatUnit: 'MONTH' });
    expect(starts(monthly, 5).map((start) => start.slice(0, 10))).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
    ]);
  });

  it('of the 29th of February falls on the 28th where there is none', () => {
    const yearly = window('2028-02-29T10:00:00Z', 1, { repeatUnit: 'MONTH', repeatInterval: 12 });
    expect(starts(yearly, 5).map((start) => start.slice(0, 10))).toEqual([
      '2028-02-29',
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ]);
  });

  it.each([
    // Berlin has no 02:30 on 28 March 2027, and two on 31 October 2027; Lord Howe is set by half an hour.
    [
      'Europe/Berlin',
      '2027-03-27T01:30:00Z',
      ['2027-03-27T02:30+01:00', '2027-03-28T03:30+02:00', '2027-03-29T02:30+02:00'],
    ],
    [
      'Europe/Berlin',
      '2027-10-30T00:30:00Z',
      ['2027-10-30T02:30+02:00', '2027-10-31T02:30+02:00', '2027-11-01T02:30+01:00'],
    ],
    [
      'Australia/Lord_Howe',
      '2026-10-02T15:45:00Z',
      ['2026-10-03T02:15+10:30', '2026-10-04T02:45+11:00', '2026-10-05T02:15+11:00'],
    ],
    // Apia had no 30 December 2011.
    [
      'Pacific/Apia',
      '2011-12-29T22:00:00Z',
      ['2011-12-29T12:00-10:00', '2011-12-31T12:00+14:00', '2011-12-31T12:00+14:00'],
    ],
  ])(
    'in %s from %s begins where the clock first shows it, or later by the jump',
    (timezone, startsAt, expected) => {
      expect(starts(window(startsAt, 1, { timezone, repeatUnit: 'DAY' }), 3)).toEqual(expected);
    },
  );

  it('is as long as ever while the clock is set', () => {
    const nightly = window('2027-03-26T22:00:00Z', 6, { timezone: 'Europe/Berlin', repeatUnit: 'DAY' });
    const lengths = take(occurrences(nightly, 0), 5).map(
      ({ startsAt, endsAt }) => (endsAt - startsAt) / HOUR,
    );
    expect(lengths).toEqual([6, 6, 6, 6, 6]);
  });

  it('repeats up to the last instant at which it may begin', () => {
    const daily = { repeatUnit: 'DAY', repeatEndsAt: '2026-11-24T01:00:00Z' };
    expect(starts(window('2026-11-22T01:00:00Z', 2, daily), 9)).toHaveLength(3);
    const before = { ...daily, repeatEndsAt: '2026-11-24T00:59:59Z' };
    expect(starts(window('2026-11-22T01:00:00Z', 2, before), 9)).toHaveLength(2);
    expect(starts(window('2026-11-22T01:00:00Z', 2, { ...daily, repeatEndsAt: '2026-11-01' }), 9)).toEqual(
      [],
    );
  });

  it.each([
    [{ startsAt: 'soon', endsAt: '2026-11-22T01:00:00Z' }],
    [{ startsAt: '2026-11-22T01:00:00Z' }],
    [{ startsAt: '2026-11-22T01:00:00Z', endsAt: '2026-11-22T01:00:00Z', repeatUnit: 'DAY' }],
    [{ startsAt: '2026-11-22T02:00:00Z', endsAt: '2026-11-22T01:00:00Z' }],
  ])('that is none is never open: %j', (none) => {
    expect([...occurrences(none, 0)]).toEqual([]);
  });

  it.each([[0], [-1], [1.5], [null], ['2']])(
    'repeats with every unit where its interval is %j',
    (repeatInterval) => {
      const odd = window('2026-11-22T01:00:00Z', 1, { repeatUnit: 'DAY', repeatInterval });
      expect(starts(odd, 2)[1]).toBe('2026-11-23T01:00+00:00');
    },
  );

  it('ends where dates end', () => {
    const far = window('+275760-09-10T00:00:00.000Z', 1, { repeatUnit: 'DAY' });
    expect([...occurrences(far, 0)]).toHaveLength(3);
    const wide = window('2026-11-22T01:00:00Z', 1, {
      repeatUnit: 'MONTH',
      repeatInterval: Number.MAX_SAFE_INTEGER,
    });
    expect([...occurrences(wide, 0)]).toHaveLength(1);
  });

  it('is found at once in a series that began thousands of years ago', () => {
    const old = window('-009999-01-31T01:00:00.000Z', 1, { timezone: 'Europe/Berlin', repeatUnit: 'DAY' });
    expect(starts(old, 1, Date.parse('2026-11-22T12:00:00Z'))[0]).toMatch(/^2026-11-23T/);
  });
});

describe('compared with Temporal', () => {
  const YEAR = 365 * 24 * HOUR;
  // From 2005, so that Apia's lost day and its summer times are met.
  const first = Date.UTC(2005, 0, 1);
  const given = fc.record({
    timezone: fc.constantFrom(...ZONES),
    // Quarters of an hour: times that a clock jumps over or shows twice are met often.
    start: fc
      .integer({ min: 0, max: (20 * YEAR) / (HOUR / 4) })
      .map((quarters) => first + quarters * (HOUR / 4)),
    length: fc.integer({ min: 1, max: 400 }).map((quarters) => quarters * (HOUR / 4)),
    repeatUnit: fc.constantFrom('DAY', 'WEEK', 'MONTH'),
    repeatInterval: fc.integer({ min: 1, max: 5 }),
    until: fc.option(fc.integer({ min: 0, max: 2000 }).map((days) => days * 24 * HOUR)),
    from: fc.integer({ min: -10, max: 1500 }).map((days) => days * 24 * HOUR),
  });

  it('every occurrence is where its calendar has it', () => {
    fc.assert(
      fc.property(given, ({ timezone, start, length, repeatUnit, repeatInterval, until, from }) => {
        const wall = Temporal.Instant.fromEpochMilliseconds(start)
          .toZonedDateTimeISO(timezone)
          .toPlainDateTime();
        const expected: number[] = [];
        for (let count = 0; expected.length < 6 && count < 3000; count += 1) {
          const unit = { DAY: 'days', WEEK: 'weeks', MONTH: 'months' }[repeatUnit] ?? '';
          const next = wall.add({ [unit]: count * repeatInterval }, { overflow: 'constrain' });
          const at =
            count === 0
              ? start
              : next.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds;
          if (until !== null && at > start + until) break;
          if (at + length > start + from) expected.push(at);
        }
        const times = {
          ...{ timezone, repeatUnit, repeatInterval },
          startsAt: new Date(start).toISOString(),
          endsAt: new Date(start + length).toISOString(),
          repeatEndsAt: until === null ? null : new Date(start + until).toISOString(),
        };
        const found = take(occurrences(times, start + from), 6);
        expect(found).toEqual(expected.map((at) => ({ startsAt: at, endsAt: at + length })));
      }),
      { numRuns: 1500 },
    );
  });

  it('every wall clock is where its calendar has it', () => {
    const clock = fc.record({
      timezone: fc.constantFrom(...ZONES),
      quarters: fc.integer({ min: 0, max: (20 * YEAR) / (HOUR / 4) }),
    });
    fc.assert(
      fc.property(clock, ({ timezone, quarters }) => {
        const shown = first + quarters * (HOUR / 4);
        const plain = Temporal.Instant.fromEpochMilliseconds(shown)
          .toZonedDateTimeISO('UTC')
          .toPlainDateTime();
        const at = plain.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds;
        expect(instantAt(wallTimeAt(shown, zoneOf('UTC')), zoneOf(timezone))).toBe(at);
        expect(wallTimeAt(at, zoneOf(timezone)).time).toBe(
          at + zoneOf(timezone)(at) - Math.floor((at + zoneOf(timezone)(at)) / (24 * HOUR)) * 24 * HOUR,
        );
      }),
      { numRuns: 2000 },
    );
  });
});

it('takes a zone that nobody knows for UTC, and says which one it knows', () => {
  expect(zoneOf('Mars/Olympus')(0)).toBe(0);
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', undefined].map(isZone)).toEqual([true, true, false, false]);
});

it('asks what a zone shows but a few times of a day, however many windows there are', () => {
  const asked = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  try {
    const now = Date.parse('2026-11-21T08:00:00Z');
    for (let n = 0; n < 1000; n += 1) {
      const nightly = window(new Date(now - n * 1000).toISOString(), 1, {
        ...{ timezone: ZONES[n % ZONES.length], repeatUnit: 'DAY' },
      });
      take(occurrences(nightly, now + 7 * 24 * HOUR), 3);
    }
    expect(asked.mock.calls.length).toBeLessThan(200);
  } finally {
    asked.mockRestore();
  }
});
