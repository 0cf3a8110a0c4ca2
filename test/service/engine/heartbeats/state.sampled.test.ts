/** When a heartbeat is missed: by drawn stories of pings, looks, rests and absences, on a clock of the test's own. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyActivation,
  applyOutage,
  applyPing,
  checkDue,
  type HeartbeatTimes,
  type Pauses,
  SHORT_OUTAGE_MS,
} from '../../../../src/service/engine/heartbeats/state.ts';
import { type HeartbeatProgress, IDLE_JOB } from '../../../../src/service/store/heartbeats.ts';
import { runs } from '../../../support/sampled.ts';

const RUNS = runs(100, 1000);
const SECOND = 1000;
const PLAIN = { isInactive: false, hasDetails: false };
const NEW: HeartbeatProgress = {
  state: 'WAITING',
  lastPingAt: null,
  dueAt: null,
  recordedAt: null,
  job: IDLE_JOB,
};

const RESTS: Pauses = (from, to) => [{ from, to }];
const RUNS_ON: Pauses = () => [];

const times: fc.Arbitrary<HeartbeatTimes> = fc
  .tuple(fc.integer({ min: 30, max: 5000 }), fc.integer({ min: 0, max: 5000 }))
  .map(([period, grace]) => ({ periodMs: period * SECOND, graceMs: grace * SECOND }));

type Event =
  | { readonly is: 'ping'; readonly after: number }
  | { readonly is: 'look'; readonly after: number; readonly rests: boolean }
  | { readonly is: 'switch'; readonly after: number; readonly rests: boolean }
  | { readonly is: 'away'; readonly after: number; readonly known: boolean };
const after = fc
  .oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 12_000 }))
  .map((s) => s * SECOND);
const events: fc.Arbitrary<Event[]> = fc.array(
  fc.oneof(
    fc.record({ is: fc.constant('ping' as const), after }),
    fc.record({ is: fc.constant('look' as const), after, rests: fc.boolean() }),
    fc.record({ is: fc.constant('switch' as const), after, rests: fc.boolean() }),
    fc.record({ is: fc.constant('away' as const), after, known: fc.boolean() }),
  ),
  { maxLength: 40 },
);

describe('a heartbeat', () => {
  it('is missed only beyond period and grace of the last ping, and recovers with the next', () => {
    fc.assert(
      fc.property(times, events, (of, story) => {
        let [now, here] = [1_000_000, NEW];
        let lastPing: number | undefined;
        for (const event of story) {
          const from = now;
          now += event.after;
          if (event.is === 'ping') {
            const { next, event: found } = applyPing(here, of, now, PLAIN);
            expect(next).toMatchObject({
              state: 'UP',
              lastPingAt: now,
              dueAt: now + of.periodMs + of.graceMs,
            });
            // A recovery and a first ping are always told.
            if (here.state !== 'UP') expect(found).toBe('pinged');
            [here, lastPing] = [next, now];
          } else if (event.is === 'look') {
            const { next, event: found } = checkDue(here, of, now, event.rests ? RESTS : RUNS_ON);
            if (found === 'missed') {
              expect(lastPing).toBeDefined();
              expect(now - (lastPing ?? now)).toBeGreaterThan(of.periodMs + of.graceMs);
              expect(event.rests).toBe(false);
              expect(next.state).toBe('DOWN');
              expect(next.dueAt).toBeGreaterThan(now);
            } else expect(next.state).toBe(here.state);
            here = next;
          } else if (event.is === 'switch') {
            const next = applyActivation(here, of, now, event.rests);
            expect(next).toEqual({ ...here, dueAt: next.dueAt });
            if (event.rests) expect(next.dueAt).toBeNull();
            else if (here.dueAt === null && here.state !== 'WAITING')
              expect(next.dueAt).toBe(now + of.periodMs + of.graceMs);
            here = next;
          } else {
            const next = applyOutage(here, of, { from: event.known ? from : null, to: now });
            // Absence only ever gives time, and changes no verdict.
            expect(next).toEqual({ ...here, dueAt: next.dueAt });
            expect(next.dueAt ?? 0).toBeGreaterThanOrEqual(here.dueAt ?? 0);
            // It pages nobody on its return.
            if (
              here.state === 'UP' &&
              now - from > SHORT_OUTAGE_MS &&
              here.dueAt !== null &&
              now > here.dueAt
            )
              expect(checkDue(next, of, now, RUNS_ON).event).toBeUndefined();
            here = next;
          }
          if (lastPing === undefined) expect(here).toEqual(NEW);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('fails no job that pings in time, however the service comes and goes', () => {
    const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));
    const lateness = fc.array(share, { minLength: 5, maxLength: 30 });
    // Each about a ping, which is lost if it is of those that are not tried again.
    const absences = fc.array(
      fc.record({ about: fc.nat(29), before: share, lasts: after, known: fc.boolean() }),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(
        times,
        lateness,
        absences,
        fc.integer({ min: 1, max: 30 }),
        (of, late, drawn, lookSeconds) => {
          const end = of.periodMs * late.length;
          const pingAt = (n: number) => Math.round(n * of.periodMs + (late[n] ?? 0) * of.graceMs);
          const away = merged(
            drawn.map(({ about, before, lasts, known }) => {
              const from = pingAt(about % late.length) - before * lasts;
              return { from, to: from + lasts, known };
            }),
          );
          const isAway = (at: number) => away.find(({ from, to }) => at >= from && at < to);
          let here = NEW;
          const story: {
            readonly at: number;
            readonly is: 'ping' | 'look' | 'return';
            readonly of?: Away;
          }[] = [];
          for (const n of late.keys()) {
            const at = pingAt(n);
            const missing = isAway(at);
            // One that nobody hears is lost, unless whoever sends it tries again for a minute.
            if (missing === undefined) story.push({ at, is: 'ping' });
            else if (missing.to - missing.from <= SHORT_OUTAGE_MS) {
              const again = missing.to + SHORT_OUTAGE_MS;
              story.push({ at: isAway(again) ? missing.to : again, is: 'ping' });
            }
          }
          for (let at = 0; at <= end + of.graceMs; at += lookSeconds * SECOND + of.periodMs / 7)
            if (!isAway(at)) story.push({ at, is: 'look' });
          for (const one of away) story.push({ at: one.to, is: 'return', of: one });
          const order = { return: 0, ping: 1, look: 2 };
          for (const { at, is, of: absence } of story.sort(
            (a, b) => a.at - b.at || order[a.is] - order[b.is],
          )) {
            if (is === 'ping') here = applyPing(here, of, at, PLAIN).next;
            else if (is === 'return') {
              const known =
                absence?.known === true || (absence?.to ?? 0) - (absence?.from ?? 0) <= SHORT_OUTAGE_MS;
              here = applyOutage(here, of, { from: known ? (absence?.from ?? null) : null, to: at });
            } else {
              const { next, event: found } = checkDue(here, of, at, RUNS_ON);
              expect(found, `at ${at}`).toBeUndefined();
              here = next;
            }
          }
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('fails a job that is dead, once the service has been there for period and grace', () => {
    fc.assert(
      fc.property(times, events, fc.integer({ min: 1, max: 30 }), (of, story, lookSeconds) => {
        let [now, here] = [1_000_000, applyPing(NEW, of, 1_000_000, PLAIN).next];
        for (const event of story) {
          const from = now;
          now += event.after;
          if (event.is === 'look') here = checkDue(here, of, now, event.rests ? RESTS : RUNS_ON).next;
          if (event.is === 'switch') here = applyActivation(here, of, now, event.rests);
          if (event.is === 'away') here = applyOutage(here, of, { from: event.known ? from : null, to: now });
        }
        here = applyActivation(here, of, now, false);
        const patience = Math.max(of.periodMs + of.graceMs, SHORT_OUTAGE_MS);
        const until = now + patience + lookSeconds * SECOND + 1;
        for (; now < until; now += lookSeconds * SECOND) here = checkDue(here, of, now, RUNS_ON).next;
        here = checkDue(here, of, until, RUNS_ON).next;
        expect(here.state).toBe('DOWN');
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    );
  });

  it('is recorded once a period, however often it is pinged, and not while it rests', () => {
    const of = { periodMs: 60 * SECOND, graceMs: 0 };
    let here = NEW;
    const found: number[] = [];
    for (let now = 0; now <= 300 * SECOND; now += SECOND) {
      const turn = applyPing(here, of, now, { ...PLAIN, isInactive: now >= 200 * SECOND });
      if (turn.event) found.push(now / SECOND);
      here = turn.next;
    }
    expect(found).toEqual([0, 30, 60, 90, 120, 150, 180]);
  });
});

interface Away {
  readonly from: number;
  readonly to: number;
  readonly known: boolean;
}
/** Absences that touch are one. */
function merged(absences: readonly Away[]): Away[] {
  const found: Away[] = [];
  for (const one of [...absences].sort((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last && one.from <= last.to)
      found[found.length - 1] = { ...last, to: Math.max(last.to, one.to), known: last.known && one.known };
    else found.push(one);
  }
  return found;
}
