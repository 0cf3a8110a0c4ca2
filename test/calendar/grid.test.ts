/** The grid of schedules: every run on its tick, whatever happened to those before. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  lastRunAt,
  maxOffset,
  nextRunAt,
  periodOf,
  pickOffset,
  type Schedule,
} from '../../src/calendar/grid.ts';

const FREQUENCIES = [0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440] as const;
const schedules: fc.Arbitrary<Schedule> = fc
  .constantFrom(...FREQUENCIES)
  .chain((frequency) =>
    (frequency === 0 ? fc.constantFrom(10, 20, 30) : fc.integer({ min: 1, max: maxOffset(frequency) })).map(
      (frequencyOffset) => ({ frequency, frequencyOffset }),
    ),
  );
const instants = fc.integer({ min: 0, max: 4_000_000_000_000 });
const at = (text: string) => Date.parse(text);

describe('the grid of schedules', () => {
  it('runs a check of 10 minutes at its phase in steps of 6 s', () => {
    const schedule = { frequency: 10, frequencyOffset: 5 };
    expect(nextRunAt(schedule, at('2026-11-21T00:00:00Z'))).toBe(at('2026-11-21T00:00:30Z'));
    expect(nextRunAt(schedule, at('2026-11-21T00:00:30Z'))).toBe(at('2026-11-21T00:10:30Z'));
  });

  it('runs a check of a day at its phase in steps of an hour', () => {
    const schedule = { frequency: 1440, frequencyOffset: 7 };
    expect(nextRunAt(schedule, at('2026-11-21T08:00:00Z'))).toBe(at('2026-11-22T07:00:00Z'));
  });

  it('runs a check of frequency 0 every offset seconds', () => {
    const schedule = { frequency: 0, frequencyOffset: 20 };
    expect(nextRunAt(schedule, at('2026-11-21T00:00:19Z'))).toBe(at('2026-11-21T00:00:20Z'));
    expect(nextRunAt(schedule, at('2026-11-21T00:00:20Z'))).toBe(at('2026-11-21T00:00:40Z'));
  });

  it('gives a tick strictly after the instant, at most one period away', () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, after) => {
        const next = nextRunAt(schedule, after);
        return next > after && next - after <= periodOf(schedule);
      }),
    );
  });

  it('never drifts: whenever a run ends within its period, the next tick is the same', () => {
    fc.assert(
      fc.property(
        schedules,
        instants,
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (schedule, after, late) => {
          const tick = nextRunAt(schedule, after);
          const ended = tick + Math.floor(late * periodOf(schedule));
          return nextRunAt(schedule, ended) === tick + periodOf(schedule);
        },
      ),
    );
  });

  it('has exactly one tick in every period, wherever the period starts', () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, start) => {
        const tick = nextRunAt(schedule, start);
        expect(tick).toBeGreaterThan(start);
        expect(lastRunAt(schedule, start + periodOf(schedule))).toBe(tick);
        expect(tick).toBeLessThanOrEqual(start + periodOf(schedule));
        expect(nextRunAt(schedule, tick)).toBeGreaterThan(start + periodOf(schedule));
      }),
    );
  });

  it('picks only offsets that the specification allows, and all of them', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FREQUENCIES.slice(1)),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (frequency, chance) => {
          const offset = pickOffset(frequency, chance);
          const most = frequency <= 60 ? Math.floor(frequency * 10) : Math.ceil(frequency / 60);
          expect(Number.isInteger(offset) && offset >= 1 && offset <= most).toBe(true);
        },
      ),
    );
    expect(pickOffset(1, 0)).toBe(1);
    expect(pickOffset(1, 0.999)).toBe(10);
    expect(pickOffset(0, 0.5)).toBe(30);
  });
});
