/** The schedule on Postgres, where several services claim ticks at the same time. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../../../../src/base/random.ts';
import { nextRunAt } from '../../../../src/calendar/grid.ts';
import { claimTicks } from '../../../../src/service/engine/schedule/claim-ticks.ts';
import { LIMITS } from '../../../../src/service/engine/sessions/plan-session.ts';
import { startGroup } from '../../../../src/service/engine/sessions/start-sessions.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { createHarness, type Harness, START } from '../harness.ts';

const SCHEDULE = { frequency: 1, frequencyOffset: 5 } as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TICKS = 10;
/** What sleeps while nothing is due: timekeeper, retention, heartbeats, queue samples, and the worker between two renewals. */
const SLEEPERS = 5;

describe('the schedule on Postgres', () => {
  let server: Postgres;
  let at: Harness;
  beforeAll(async () => {
    server = await openPostgres();
    at = await createHarness({}, { url: await server.createDatabase() });
  });
  afterAll(async () => {
    await at.close();
  });

  it('gives each tick to one of those who claim it together, and records each that was missed once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        at.check({ ...SCHEDULE, name: `check ${n}`, locations: ['eu-west-1', 'us-east-1'] }),
      ),
    );
    const claim = (now: number) =>
      engineStore(at.store).atomically((data) =>
        claimTicks(data, {
          now,
          publicLocations: ['eu-west-1'],
          limits: LIMITS,
          uuid: () => systemRandom.uuid(),
        }),
      );
    const first = nextRunAt(SCHEDULE, START);
    const ticks = Array.from({ length: TICKS }, (_, n) => first + n * MINUTE);
    for (const tick of ticks) {
      // The fourth to the sixth pass without anybody there.
      if (tick > first + 2 * MINUTE && tick < first + 6 * MINUTE) continue;
      await Promise.all(Array.from({ length: 4 }, () => claim(tick)));
    }
    const data = engineStore(at.store);
    for (const id of ids) {
      const ran = await data.sessions.ticksBetween(id, 0, Number.MAX_SAFE_INTEGER);
      expect(ran).toEqual(ticks.filter((_, n) => n < 3 || n > 5));
      expect(await data.schedule.missedTicksOf(id)).toMatchObject([
        { first: ticks[3], last: ticks[5], ticks: 3 },
      ]);
    }
  });

  it('gives those who claim at the same time different ticks, and lets nobody wait', async () => {
    const url = await server.createDatabase();
    const shared = await createHarness({}, { url });
    const ids = await Promise.all(Array.from({ length: 6 }, () => shared.check(SCHEDULE)));
    const now = nextRunAt(SCHEDULE, START);
    const around = { now, publicLocations: ['eu-west-1'], limits: LIMITS, uuid: () => systemRandom.uuid() };
    const claim = (most: number) =>
      engineStore(shared.store).atomically((data) => claimTicks(data, around, { limit: most }));
    let commit = () => {};
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isClaimed = false;
    const first = engineStore(shared.store).atomically(async (data) => {
      const ticks = await claimTicks(data, around, { limit: 4 });
      isClaimed = true;
      await committing;
      return ticks;
    });
    await eventually(() => expect(isClaimed).toBe(true));
    const others = await Promise.all([claim(4), claim(4)]);
    commit();
    const claimed = [await first, ...others].map(({ planned }) =>
      planned.map(({ session }) => session.check_id),
    );
    expect(claimed[0]).toHaveLength(4);
    expect(claimed.flat().sort()).toEqual([...ids].sort());
    await shared.close();
  });

  it('lets those go that wait behind a check whose deletion was overtaken by the start of its group', async () => {
    const groupId = await at.group({ concurrency: 1 });
    const ids: string[] = [];
    for (const name of ['first', 'second', 'third']) ids.push(await at.check({ name, groupId }));
    const first = ids[0] ?? '';
    const around = {
      now: START,
      publicLocations: ['eu-west-1'],
      limits: LIMITS,
      uuid: () => systemRandom.uuid(),
    };
    const asked = { accountId: at.accountId, groupId, runSource: 'GROUP_RUN_ALL' } as const;
    let [isPlanned, commit] = [false, () => {}];
    const committing = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const starting = engineStore(at.store).atomically(async (data) => {
      const planned = await startGroup(data, around, asked);
      isPlanned = true;
      await committing;
      return planned;
    });
    await eventually(() => expect(isPlanned).toBe(true));
    const deleting = at.engine.deleteCheck(at.accountId, first, (tx) =>
      tx.checks.delete(at.accountId, first),
    );
    const waiting = sql<{
      count: number;
    }>`select count(*) as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually(async () =>
      expect((await waiting.execute(at.store.db)).rows[0]?.count).toBeGreaterThan(0),
    );
    commit();
    expect(await deleting).toBe(true);
    const left = [];
    for (const { session } of await starting)
      left.push(...(await engineStore(at.store).runs.ofSession(session.id)));
    expect(left.map(({ state }) => state)).toEqual(['QUEUED', 'HELD']);
  });

  it('gives what is under way the time that it had left where the clock of the only service is set', async () => {
    const url = await server.createDatabase();
    const one = await createHarness({ databaseUrl: url }, { url });
    const other = await createHarness({ databaseUrl: url }, { url });
    /** Sets the clock, and gives the timekeeper time to look at it: it does twice a minute. */
    const set = async (ms: number) => {
      await eventually(() => expect(one.clock.sleeping).toBe(SLEEPERS));
      one.clock.step(ms);
      await one.clock.advance(31_000);
    };
    const retryAt = async (session: string) => {
      const [run] = await engineStore(one.store).runs.ofSession(session);
      return run?.not_before ?? 0;
    };
    try {
      await one.engine.start();
      const check = await one.check({ ...SCHEDULE, frequency: 60 });
      one.target.finds({ hasFailures: true, errors: ['no'] });
      const session = await one.start(await one.check({ retryStrategy: { baseBackoffSeconds: 300 } }));
      await eventually(async () => expect((await one.read(session)).results).toHaveLength(1));
      const due = await retryAt(session);
      for (const ms of [2 * HOUR, -2 * HOUR]) {
        const before = await retryAt(session);
        await set(ms);
        await eventually(async () => expect(await retryAt(session)).toBe(before + ms));
      }
      expect(await retryAt(session)).toBe(due);

      // Its clock is right: by one that is ahead it would take the tick that comes back for late, and be done with it.
      other.clock.step(-2 * HOUR);
      await other.engine.start();
      await set(-2 * HOUR);
      await eventually(async () => {
        // It may have looked at the clock just before that was set: then it looks again later.
        await one.clock.advance(1000);
        const next = (await one.store.checks.get(one.accountId, check))?.nextRunAt ?? 0;
        expect(next).toBeLessThanOrEqual(one.clock.now() + HOUR);
      });
      expect(await retryAt(session)).toBe(due);
    } finally {
      await one.close();
      await other.close();
    }
  });
});
