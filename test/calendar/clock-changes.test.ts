/** Every change of clocks of 2024 to 2030, in zones that do it each in their own way, against Temporal. */
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { occurrences, take } from '../../src/calendar/occurrences.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FROM = '2024-01-01T00:00:00Z';
const UNTIL = Date.parse('2031-01-01T00:00:00Z');

/** The instants at which a zone's clock is set, as Temporal knows them. */
function changesOf(timeZone: string): number[] {
  const found: number[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.from(FROM).toZonedDateTimeISO(timeZone);
  for (;;) {
    at = at.getTimeZoneTransition('next');
    if (at === null || at.epochMilliseconds >= UNTIL) return found;
    found.push(at.epochMilliseconds);
  }
}

describe.each([
  ['Europe/Berlin', 14],
  ['America/New_York', 14],
  ['Australia/Lord_Howe', 14],
  // Apia has left its clocks alone since 2021.
  ['Pacific/Apia', 0],
])('in %s', (timeZone, count) => {
  const changes = changesOf(timeZone);

  it(`all ${count} changes are met`, () => {
    expect(changes).toHaveLength(count);
  });

  it.each([
    ['DAY', 1, 'days', 1],
    ['WEEK', 2, 'days', 14],
    ['MONTH', 1, 'months', 1],
  ] as const)(
    '%s × %i begins and ends as Temporal says, in the gap, in the doubled hour and across',
    (unit, interval, plural, step) => {
      const instants = changes.length > 0 ? changes : [Date.parse('2024-04-07T00:00:00Z')];
      for (const change of instants) {
        // So that one occurrence is near the change, at each quarter of an hour about it.
        for (let quarter = -5; quarter <= 5; quarter += 1) {
          const near = Temporal.Instant.fromEpochMilliseconds(change + quarter * 15 * MINUTE);
          const first = near
            .toZonedDateTimeISO(timeZone)
            .toPlainDateTime()
            .subtract({ [plural]: step });
          const begin = first.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
          const length = 90 * MINUTE;
          const window = {
            ...{ timezone: timeZone, repeatUnit: unit, repeatInterval: interval },
            startsAt: new Date(begin).toISOString(),
            endsAt: new Date(begin + length).toISOString(),
          };
          const wall = Temporal.Instant.fromEpochMilliseconds(begin)
            .toZonedDateTimeISO(timeZone)
            .toPlainDateTime();
          const expected = [0, 1, 2].map((n) => {
            const shown = wall.add({ [plural]: n * step });
            return n === 0
              ? begin
              : shown.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
          });
          expect(take(occurrences(window, begin), 3)).toEqual(
            expected.map((startsAt) => ({ startsAt, endsAt: startsAt + length })),
          );
        }
      }
    },
  );

  it('what lasts for days passes over a change as long as ever', () => {
    for (const change of changes) {
      const startsAt = change - 1.5 * DAY;
      const window = {
        ...{ timezone: timeZone, repeatUnit: 'DAY' },
        startsAt: new Date(startsAt).toISOString(),
        endsAt: new Date(startsAt + 3 * DAY).toISOString(),
      };
      const lengths = take(occurrences(window, change), 3).map((one) => one.endsAt - one.startsAt);
      expect(lengths).toEqual([3 * DAY, 3 * DAY, 3 * DAY]);
    }
  });
});
