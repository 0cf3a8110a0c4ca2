/** Crashes at every statement between a tick and its session's end: nothing is lost, nothing is there twice. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lastRunAt, type Schedule } from '../../../../src/calendar/grid.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { runs } from '../../../support/sampled.ts';
import { BAD, createHarness, type Harness, START } from '../harness.ts';
import { crashingStore } from './crashing.ts';

/** `npm run test:crashes` tries them all, several times. */
const RUNS = runs(3, 15);
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SCHEDULE: Schedule = { frequency: 1, frequencyOffset: 5 };
const LOCATIONS = ['eu-west-1', 'us-east-1'];
/** What a process does in three ticks, in statements that are no kept reads: few runs need more. */
const MOST_STATEMENTS = 60;

async function crashed(at: Harness, dies: number, restMs: number): Promise<void> {
  const id = await at.check({
    ...SCHEDULE,
    locations: LOCATIONS,
    runParallel: true,
    retryStrategy: { maxRetries: 1, baseBackoffSeconds: 10 },
  });
  at.target.finds(BAD, {}, BAD);
  const mortal = crashingStore(at.store, dies);
  const process = at.engineOver(mortal.store);
  // It may die while it starts.
  await process.start().catch(() => {});
  await at.clock.advance(2 * MINUTE + 40 * SECOND);
  // Who lived on until now has missed nothing; from here on nobody is there.
  if (!mortal.isGone()) expect(await missedOf(at, id)).toEqual([]);
  void process.stop().catch(() => {});
  await at.clock.advance(restMs);
  const next = at.engineOver(at.store);
  await next.start();
  await at.clock.advance(4 * MINUTE);
  await at.clock.run(next.stop());
  await accounted(at, id);
}

/** The ticks of which it is recorded that they were missed. */
async function missedOf(at: Harness, checkId: string): Promise<number[]> {
  const gaps = await engineStore(at.store).schedule.missedTicksOf(checkId);
  return gaps.flatMap(({ first, ticks }) => Array.from({ length: ticks }, (_, n) => first + n * MINUTE));
}

/** Every tick has one session or one record that it was missed; every session has ended, each location with one result. */
async function accounted(at: Harness, checkId: string): Promise<void> {
  const { entries } = await at.engine.listSessions({ accountId: at.accountId, checkId, limit: 100 });
  const rows = await engineStore(at.store).sessions.byIds(entries.map((entry) => entry.checkSessionId));
  const ticks = rows.map((row) => row.scheduled_at ?? 0);
  const missed = await missedOf(at, checkId);
  const first = lastRunAt(SCHEDULE, START) + MINUTE;
  const all = [];
  for (let tick = first; tick <= at.clock.now() - 10 * SECOND; tick += MINUTE) all.push(tick);
  expect([...ticks, ...missed].sort((one, other) => one - other)).toEqual(all);
  for (const { status, checkSessionId } of entries) {
    // What ran when the process was asked to stop at the end goes on at the next start.
    expect(['PASSED', 'FAILED', 'TIMED_OUT']).toContain(status);
    const session = await at.engine.getSession(at.accountId, checkSessionId);
    const finals = session?.results.filter(({ resultType }) => resultType === 'FINAL') ?? [];
    expect(finals.map(({ runLocation }) => runLocation).sort()).toEqual(LOCATIONS);
  }
  expect(await engineStore(at.store).runs.countWaiting()).toBe(0);
}

it(`accounts for every tick and ends every session, wherever the process dies`, {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: MOST_STATEMENTS }),
      fc.constantFrom(0, 20 * SECOND, 5 * MINUTE, 3 * 60 * MINUTE),
      fc.constantFrom({ minMs: 0, maxMs: 0 }, { minMs: 300, maxMs: 900 }),
      async (dies, restMs, claimAhead) => {
        const at = await createHarness({ claimAhead });
        try {
          await crashed(at, dies, restMs);
        } finally {
          await at.close();
        }
      },
    ),
    { numRuns: RUNS },
  );
});
