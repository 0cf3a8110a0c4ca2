/** Ticks that are claimed a moment before their instant: the transaction comes early, what it starts comes on time. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { nextRunAt } from '../../../../src/calendar/grid.ts';
import { createTickClaimer } from '../../../../src/service/engine/schedule/claim-ticks.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { createManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { createHarness, type Harness, START } from '../harness.ts';

const AHEAD = { minMs: 300, maxMs: 900 };
const SCHEDULE = { frequency: 1, frequencyOffset: 5 } as const;
const TICK = nextRunAt(SCHEDULE, START);

let at: Harness;
beforeEach(async () => {
  at = await createHarness({ claimAhead: AHEAD });
});
afterEach(() => at.close());

/** Moves to so many ms before the tick. */
const toBefore = (msBefore: number) => at.clock.advance(TICK - msBefore - at.clock.now());
const sessionsOf = async (checkId: string) =>
  (await at.engine.listSessions({ accountId: at.accountId, checkId, limit: 100 })).entries;

it('plans a session before its tick, and makes its attempt at the tick', async () => {
  await at.engine.start();
  const id = await at.check(SCHEDULE);
  await toBefore(301);
  expect(await sessionsOf(id)).toEqual([]);
  await toBefore(1);
  expect(await sessionsOf(id)).toMatchObject([
    { status: 'STARTED', startedAt: new Date(TICK).toISOString(), timeElapsed: 0 },
  ]);
  expect(at.target.attempts).toEqual([]);
  await at.clock.advance(1);
  expect(at.target.attempts).toMatchObject([{ at: TICK }]);
  await eventually(async () => expect(await sessionsOf(id)).toMatchObject([{ status: 'PASSED' }]));
  expect((await at.store.checks.get(at.accountId, id))?.nextRunAt).toBe(TICK + 60_000);
});

it('claims what comes in the next moment together, each for its own instant', async () => {
  await at.engine.start();
  const early = await at.check(SCHEDULE);
  const late = await at.check({ ...SCHEDULE, name: 'late' });
  await engineStore(at.store).schedule.advance(late, TICK, TICK + 600);
  await toBefore(299);
  expect([await sessionsOf(early), await sessionsOf(late)].map(({ length }) => length)).toEqual([1, 1]);
  await at.clock.advance(1000);
  expect(at.target.attempts).toMatchObject([{ at: TICK }, { name: 'late', at: TICK + 600 }]);
});

it('claims no more than the worker has room for: the others at their instant', async () => {
  at.target.hang();
  await at.engine.start();
  const ids = await Promise.all(Array.from({ length: 6 }, () => at.check(SCHEDULE)));
  await toBefore(1);
  const planned = async () => (await Promise.all(ids.map(sessionsOf))).flat().length;
  expect(await planned()).toBe(4);
  await at.clock.advance(1);
  expect(await planned()).toBe(6);
  expect(at.target.attempts).toHaveLength(4);
  at.target.letGo();
  await eventually(() => expect(at.target.attempts).toHaveLength(6));
});

it('starts on time what comes soon after something that was late', async () => {
  const late = await at.check(SCHEDULE);
  const next = await at.check({ ...SCHEDULE, name: 'next' });
  await engineStore(at.store).schedule.advance(next, TICK, TICK + 200);
  await toBefore(-10);
  await at.engine.start();
  await at.clock.advance(300);
  expect(at.target.attempts).toMatchObject([{ at: TICK + 10 }, { name: 'next', at: TICK + 200 }]);
  expect([await sessionsOf(late), await sessionsOf(next)].map(({ length }) => length)).toEqual([1, 1]);
});

it('starts nothing that was cancelled before its instant', async () => {
  await at.engine.start();
  const id = await at.check(SCHEDULE);
  await toBefore(1);
  const [session] = await sessionsOf(id);
  expect(await at.engine.cancelSession(at.accountId, session?.checkSessionId ?? '')).toBe(true);
  await at.clock.advance(10);
  await eventually(async () => expect(await sessionsOf(id)).toMatchObject([{ status: 'CANCELLED' }]));
  expect(at.target.attempts).toEqual([]);
});

it('asks of a maintenance window whether it holds at the tick, not when the tick is claimed', async () => {
  await at.engine.start();
  const id = await at.check(SCHEDULE);
  await at.store.maintenanceWindows.create(at.accountId, {
    name: 'from the tick on',
    startsAt: new Date(TICK).toISOString(),
    endsAt: new Date(TICK + 30_000).toISOString(),
    ...{ repeatUnit: null, pauseAllChecks: true },
  });
  await at.clock.advance(TICK + 1000 - at.clock.now());
  expect(await sessionsOf(id)).toEqual([]);
  await at.clock.advance(60_000);
  await eventually(async () => expect(await sessionsOf(id)).toMatchObject([{ status: 'PASSED' }]));
});

it('ends what waits for its instant when the service is stopped before it, and loses no tick', async () => {
  await at.engine.start();
  const id = await at.check(SCHEDULE);
  await toBefore(1);
  await at.clock.run(at.engine.stop());
  expect(at.target.attempts).toMatchObject([{ at: TICK }]);
  expect(await sessionsOf(id)).toMatchObject([{ status: 'PASSED' }]);
});

it('makes after a crash what waited for its instant', async () => {
  await at.engine.start();
  const id = await at.check(SCHEDULE);
  await toBefore(1);
  await at.kill();
  at.clock.step(60_000 - 1000);
  await at.engine.start();
  await eventually(async () => expect(await sessionsOf(id)).toMatchObject([{ status: 'PASSED' }]));
  expect(await engineStore(at.store).schedule.missedTicksOf(id)).toEqual([]);
});

it('leaves ticks to a service that was faster, until one is left to it', async () => {
  const clock = createManualClock(START);
  const reserve = () => ({
    ...{ worker: 'w', capacity: 9, leaseUntil: 0, assign() {}, assignedCount: () => 0, end() {} },
  });
  let first: number | null = null;
  const plan = async () => ({ planned: [], missed: 0, isFull: false, first });
  const claims = createTickClaimer({ clock, claimAhead: AHEAD, isShared: true, reserve, plan });
  const upcoming = (tick: number) => ({
    ...{ tick, due: null, later: null, dropped: null, lapsed: null, deadline: null },
  });
  const tick = START + 1000;
  clock.step(700);
  expect(claims.claimTime(tick)).toBe(tick - 300);
  expect(await claims.claim(upcoming(tick))).toMatchObject({ first: null });
  expect(claims.isOvertaken()).toBe(true);
  expect(claims.claimTime(tick)).toBe(tick + 250);
  expect(await claims.claim(upcoming(tick))).toBeUndefined();
  clock.step(600);
  first = tick;
  expect(await claims.claim(upcoming(tick))).toMatchObject({ first: tick });
  expect(claims.claimTime(tick)).toBe(tick - 300);
});

it('claims ahead again after the attempts that waited have been claimed', async () => {
  const advance = async (name: string, to: number) => {
    const id = await at.check({ ...SCHEDULE, name });
    await engineStore(at.store).schedule.advance(id, TICK, to);
    return id;
  };
  await advance('next', TICK + 5000);
  const later = await advance('later', TICK + 8000);
  for (let made = 0; made < 5; made++) await at.check(SCHEDULE);
  at.target.hang();
  await at.engine.start();
  // Four places: the fifth attempt waits in the queue.
  await toBefore(0);
  expect(at.target.attempts).toHaveLength(4);
  at.target.letGo();
  await eventually(() => expect(at.target.attempts).toHaveLength(5));
  await at.clock.advance(5000);
  await eventually(() => expect(at.target.attempts).toHaveLength(6));
  await at.clock.advance(2999);
  expect(await sessionsOf(later)).toMatchObject([{ status: 'STARTED' }]);
});
