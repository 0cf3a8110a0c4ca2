/** What maintenance windows make of a heartbeat: looks at what is due, with pauses that a test says, on a clock of its own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkDue,
  type HeartbeatTimes,
  type Pauses,
} from '../../../../src/service/engine/heartbeats/state.ts';
import { type HeartbeatProgress, IDLE_JOB } from '../../../../src/service/store/heartbeats.ts';

const MINUTE = 60_000;
const HOUR = 60;
const DAY = 24 * HOUR;

/** In minutes. */
type Stretch = readonly [from: number, to: number];

const clipped =
  (stretches: readonly Stretch[]): Pauses =>
  (from, to) =>
    stretches
      .map((stretch) => ({
        from: Math.max(from, stretch[0] * MINUTE),
        to: Math.min(to, stretch[1] * MINUTE),
      }))
      .filter((pause) => pause.from < pause.to);

/** The minutes at which it fails that was pinged last at minute 0, of all up to one. */
function missedAt(times: HeartbeatTimes, stretches: readonly Stretch[], until: number): number[] {
  const state = { state: 'UP', lastPingAt: 0, recordedAt: 0, job: IDLE_JOB } as const;
  let here: HeartbeatProgress = { ...state, dueAt: times.periodMs + times.graceMs };
  const missed: number[] = [];
  for (;;) {
    // As the service looks.
    const now = (here.dueAt ?? 0) + 1;
    const minute = Math.floor(now / MINUTE);
    if (minute > until) return missed;
    const { next, event } = checkDue(here, times, now, clipped(stretches));
    here = next;
    if (event === 'missed') missed.push(minute);
  }
}

const every = (period: number, grace: number): HeartbeatTimes => ({
  periodMs: period * MINUTE,
  graceMs: grace * MINUTE,
});
const nightly = (from: number, to: number): Stretch[] =>
  Array.from({ length: 30 }, (_, day) => [day * DAY + from, day * DAY + to]);

describe('a ping that does not come', () => {
  it.each<[what: string, times: HeartbeatTimes, stretches: Stretch[], missed: number[]]>([
    ['is missed after period and grace', every(30, 1), [], [31, 61]],
    ['is waited for from the end of a pause that it was to come in', every(30, 1), [[20, 40]], [71]],
    ['also where the service looks within the pause', every(30, 1), [[20, 61]], [92]],
    ['and where that ends just before the next look', every(30, 1), [[29, 60]], [91]],
    ['and where the pause began a moment after it was to come', every(30, 5), [[31, 50]], [85]],
    ['is given its grace anew by a pause that took most of it', every(30, 32), [[33, 61]], [93]],
    ['is not by one that took little of it', every(30, 60), [[40, 50]], [90]],
    ['is missed though there was a pause before it was to come', every(30, 1), [[1, 29]], [31, 61]],
  ])('%s', (_, times, stretches, missed) => {
    expect(missedAt(times, stretches, Math.max(...missed))).toEqual(missed);
  });

  it('fails by its period alone once it is away, also after a pause', () => {
    expect(missedAt(every(30, 600), [[650, 670]], 760)).toEqual([630, 700, 730, 760]);
  });

  it.each([
    ['in the night that it was to come in', every(DAY, HOUR), nightly(DAY - 10, DAY + 20)],
    ['within its grace', every(DAY, 2 * HOUR), nightly(HOUR, HOUR + 30)],
    ['of a week, within its long grace', every(7 * DAY, DAY), nightly(HOUR, HOUR + 30)],
  ])('is not put off for ever by a pause each night: %s', (_, times, stretches) => {
    const two = 2 * ((times.periodMs + times.graceMs) / MINUTE) + DAY;
    expect(missedAt(times, stretches, two).length).toBeGreaterThan(0);
  });

  it('is told of once nothing pauses any more, and never before its time', () => {
    const stretch = fc.tuple(fc.integer({ min: 0, max: 2000 }), fc.integer({ min: 1, max: 300 }));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 0, max: 300 }),
        fc.array(stretch, { maxLength: 8 }),
        (period, grace, drawn) => {
          const stretches = merged(drawn.map(([from, length]) => [from, from + length]));
          const end = stretches.at(-1)?.[1] ?? 0;
          const missed = missedAt(every(period, grace), stretches, end + 2 * (period + grace) + 5);
          expect(missed.length).toBeGreaterThan(0);
          expect(missed[0]).toBeGreaterThanOrEqual(period + grace);
          for (const at of missed) {
            // At no minute in a pause, nor of a ping that was to come in one.
            const told = at * MINUTE;
            expect(stretches.filter(([from, to]) => from * MINUTE <= told && told < to * MINUTE)).toEqual([]);
          }
          const [first = 0] = missed;
          const excusing = stretches.find(([from, to]) => from <= first - grace && first - grace < to);
          expect(excusing).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
  });
});

function merged(drawn: readonly Stretch[]): Stretch[] {
  const all: [number, number][] = [];
  for (const [from, to] of [...drawn].sort(([one], [other]) => one - other)) {
    const last = all.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else all.push([from, to]);
  }
  return all;
}
