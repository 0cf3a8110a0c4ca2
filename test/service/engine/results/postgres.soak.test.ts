/** Rolling up and removing results on Postgres, where several services do it at once. */
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { rollUpBatch } from '../../../../src/service/engine/retention/retention.ts';
import { eventually } from '../../../support/eventually.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { keepingContract } from './contract.ts';
import { statisticsContract } from './statistics-contract.ts';
import { DAY, HOUR, type ResultsWorld, resultsWorld } from './support.ts';

const START = Date.parse('2026-08-01T00:00:00Z');

describe('results on Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });

  const place = async () => ({ url: await server.createDatabase() });
  keepingContract(place, 3);
  statisticsContract(place, 3);

  it('have all locations in the statistics of a first day that two services roll up at the same time', async () => {
    const url = await server.createDatabase();
    const [one, other] = [await resultsWorld({ url }, START), await resultsWorld({ url }, START)];
    try {
      for (const location of ['eu-west-1', 'us-east-1']) await one.write({ at: START + 23 * HOUR, location });
      const [first, second] = await one.engine.rollUps.pendingHours(START + DAY, 2);
      if (first === undefined || second === undefined) throw new Error('there are no hours');
      let commit = () => {};
      const mayCommit = new Promise<void>((resolve) => {
        commit = resolve;
      });
      const rollUp = (at: ResultsWorld, hour: typeof first, until?: Promise<void>) =>
        at.engine.atomically(async (data) => {
          await data.rollUps.rollUp(hour);
          await data.statistics.refresh([hour], START + DAY);
          await until;
        });
      const isWaiting = async () => {
        const { rows } = await sql<{ waiting: boolean }>`select count(*) > 0 as waiting from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(other.store.db);
        return rows[0]?.waiting === true;
      };
      const both = [rollUp(one, first, mayCommit)];
      await eventually(async () => {
        const { rows } = await sql<{ open: boolean }>`select count(*) > 0 as open from pg_stat_activity
          where datname = current_database() and state = 'idle in transaction'`.execute(other.store.db);
        expect(rows[0]?.open).toBe(true);
      });
      both.push(rollUp(other, second));
      await eventually(async () => expect(await isWaiting()).toBe(true));
      commit();
      await Promise.all(both);
      const days = await one.engine.statistics.daysByChecks([one.checkId]);
      expect(days.get(one.checkId)?.[1]).toBe(2);
    } finally {
      for (const world of [one, other]) await world.close();
    }
  });

  it('are counted once by services that roll up the same hours at the same time', async () => {
    const url = await server.createDatabase();
    const worlds = [await resultsWorld({ url }, START)];
    for (let n = 0; n < 2; n += 1) worlds.push(await resultsWorld({ url }, START));
    const [one] = worlds;
    if (one === undefined) throw new Error('there is no world');
    try {
      let wrote = 0;
      for (let round = 0; round < 10; round += 1) {
        for (let n = 0; n < 12; n += 1, wrote += 1) await one.write({ at: START + (n % 3) * HOUR + n });
        await Promise.all(worlds.map(({ engine }) => rollUpBatch(engine, START + DAY)));
      }
      const filter = { accountId: one.accountId, checkId: one.checkId, period: 'DAY', limit: 10 } as const;
      const { rows } = await one.engine.snapshot(({ rollUps }) => rollUps.list(filter));
      expect(rows).toMatchObject([{ passed: wrote, times: { count: wrote, sum: wrote * 1000 } }]);
    } finally {
      for (const world of worlds) await world.close();
    }
  });
});
