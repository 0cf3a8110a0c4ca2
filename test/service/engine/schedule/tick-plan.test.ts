/** Which checks are due: ticks and changes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxOffset, periodOf, type Schedule } from '../../../../src/calendar/grid.ts';
import { nextTickOf, planTick, scheduleOf } from '../../../../src/service/engine/schedule/tick-plan.ts';

const schedules: fc.Arbitrary<Schedule> = fc
  .constantFrom(0, 1, 10, 60, 120, 1440)
  .chain((frequency) =>
    (frequency === 0 ? fc.constantFrom(10, 20, 30) : fc.integer({ min: 1, max: maxOffset(frequency) })).map(
      (frequencyOffset) => ({ frequency, frequencyOffset }),
    ),
  );
const instants = fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 });
const lateness = fc.double({ min: 0, max: 100, noNaN: true });

describe('a due tick', () => {
  it('leaves no tick out and none twice: each is run, missed or next', () => {
    fc.assert(
      fc.property(schedules, instants, lateness, (schedule, after, periods) => {
        const stored = nextTickOf(schedule, null, after);
        const period = periodOf(schedule);
        const now = stored + Math.floor(periods * period);
        const { tick, next, missed } = planTick(schedule, stored, now);
        expect(now - tick).toBeLessThan(period);
        expect(next).toBe(tick + period);
        expect(missed?.first ?? tick).toBe(stored);
        expect(missed?.last ?? tick - period).toBe(tick - period);
        expect(missed?.ticks ?? 0).toBe((tick - stored) / period);
      }),
    );
  });

  it('that is off the grid, as the schedule changed, runs by itself', () => {
    const schedule = { frequency: 10, frequencyOffset: 5 };
    expect(planTick(schedule, 1_000_000, 1_000_500)).toEqual({
      tick: 1_000_000,
      next: 1_230_000,
      missed: undefined,
    });
  });
});

describe('a changed check', () => {
  it('keeps a tick that still is right, also one that is due, and gets another where it is not', () => {
    const schedule = { frequency: 1, frequencyOffset: 5 };
    expect(nextTickOf(schedule, 90_000, 40_000)).toBe(90_000);
    expect(nextTickOf(schedule, 30_000, 40_000)).toBe(30_000);
    expect(nextTickOf(schedule, 31_000, 40_000)).toBe(90_000);
    expect(nextTickOf(schedule, 3_630_000, 40_000)).toBe(90_000);
  });

  it('has the offset of its id where it was kept without one', () => {
    const check = {
      id: '2f1c6f0e-8a55-4c1e-9e4c-0d6a54b2b1aa',
      frequency: 10,
      frequencyOffset: null,
      body: {},
    };
    const { frequencyOffset } = scheduleOf(check);
    expect(frequencyOffset).toBeGreaterThanOrEqual(1);
    expect(frequencyOffset).toBeLessThanOrEqual(100);
    expect(scheduleOf(check)).toEqual(scheduleOf({ ...check }));
    expect(scheduleOf({ ...check, frequencyOffset: 7 }).frequencyOffset).toBe(7);
    expect(scheduleOf({ ...check, frequencyOffset: 7 }).shift).toBeLessThan(6000);
    expect(scheduleOf({ ...check, frequencyOffset: 7, body: { frequencyOffset: 7 } }).shift).toBeUndefined();
  });
});
