/** When windows are open: by their calendar, and by the people who start and end them. */
import { describe, expect, it } from 'vitest';
import { nextChangeAfter, nextPeriod, periodAt } from '../../../src/service/maintenance/periods.ts';
import type { MaintenanceWindowWithState } from '../../../src/service/store/index.ts';
import { at, shown, windowOf } from './support.ts';

const isOpen = (window: MaintenanceWindowWithState) => (text: string) =>
  periodAt(window, at(text)) !== undefined;
const HOURS = ['07:59:59', '08:00:00', '08:59:59', '09:00:00', '23:00:00'];

describe('a window', () => {
  it('is open from its start up to its end', () => {
    expect(HOURS.map(isOpen(windowOf()))).toEqual([false, true, true, false, false]);
  });

  it('that starts by hand waits until it is started, and is open from then up to its end', () => {
    const byHand = shown({ autoStart: false });
    expect(HOURS.map(isOpen(windowOf(byHand)))).toEqual([false, false, false, false, false]);
    const started = windowOf(byHand, { startedAt: at('08:30:00') });
    expect(['08:29:59', '08:30:00', '08:59:59', '09:00:00'].map(isOpen(started))).toEqual([
      ...[false, true, true, false],
    ]);
    expect(periodAt(started, at('08:45:00'))).toEqual({ startsAt: at('08:30:00'), endsAt: at('09:00:00') });
  });

  it('that starts by hand but is not shown on pages starts by itself', () => {
    const hidden = windowOf({ statusPageVisibility: { enabled: false, autoStart: false, autoEnd: false } });
    expect(HOURS.map(isOpen(hidden))).toEqual([false, true, true, false, false]);
  });

  it('is started early by hand, within a day before', () => {
    const early = windowOf({}, { startedAt: at('07:00:00') });
    expect(['06:59:59', '07:00:00', '08:30:00', '09:00:00'].map(isOpen(early))).toEqual([
      ...[false, true, true, false],
    ]);
    const tooEarly = windowOf({}, { startedAt: at('07:00:00') - 24 * 3_600_000 });
    expect(isOpen(tooEarly)('07:30:00')).toBe(false);
  });

  it('that ends by hand is shown until it is ended, and its planned end stays known', () => {
    const lasting = windowOf(shown({ autoEnd: false }));
    expect(HOURS.map(isOpen(lasting))).toEqual([false, true, true, true, true]);
    expect(periodAt(lasting, at('23:00:00'))).toEqual({ startsAt: at('08:00:00'), endsAt: at('09:00:00') });
    const ended = windowOf(shown({ autoEnd: false }), { endedThrough: at('09:30:00') });
    expect(HOURS.map(isOpen(ended))).toEqual([false, false, false, false, false]);
  });

  it('that was ended by hand is not open again before its next occurrence', () => {
    const daily = windowOf({ repeatUnit: 'DAY' }, { endedThrough: at('08:30:00') });
    expect(isOpen(daily)('08:45:00')).toBe(false);
    expect(periodAt(daily, at('08:30:00') + 24 * 3_600_000)).toBeDefined();
    expect(nextPeriod(daily, at('08:45:00'))?.startsAt).toBe(at('08:00:00') + 24 * 3_600_000);
  });

  it('that was started early and ended before its planned start does not start once more', () => {
    const done = windowOf({ repeatUnit: 'DAY' }, { endedThrough: at('08:00:00') });
    expect(HOURS.map(isOpen(done))).toEqual([false, false, false, false, false]);
    expect(nextPeriod(done, at('07:50:00'))?.startsAt).toBe(at('08:00:00') + 24 * 3_600_000);
  });

  it('that starts by hand comes next while it waits, and no more when its time is over', () => {
    const waiting = windowOf(shown({ autoStart: false }));
    expect(nextPeriod(waiting, at('08:30:00'))?.startsAt).toBe(at('08:00:00'));
    expect(nextPeriod(waiting, at('09:00:00'))).toBeUndefined();
  });

  it('that is longer than its period is always open while it repeats', () => {
    const long = windowOf({
      ...{ endsAt: '2026-11-23T20:00:00Z', repeatUnit: 'DAY', repeatEndsAt: '2026-12-01T08:00:00Z' },
    });
    const ends = Date.parse('2026-12-03T20:00:00Z');
    for (let instant = at('08:00:00'); instant < ends; instant += 3_600_000) {
      expect(periodAt(long, instant)).toBeDefined();
    }
    expect(periodAt(long, ends)).toBeUndefined();
    expect(nextChangeAfter(long, ends)).toBe(Number.POSITIVE_INFINITY);
  });
});
