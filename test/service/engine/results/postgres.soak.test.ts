/** Rolling up and removing results on Postgres, where several services do it at once. */
import { beforeAll, describe, expect, it } from 'vitest';
import { rollUpBatch } from '../../../../src/service/engine/results/retention.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import { keepingContract } from './contract.ts';
import { statisticsContract } from './statistics-contract.ts';
import { DAY, HOUR, resultsWorld } from './support.ts';

const START = Date.parse('2026-08-01T00:00:00Z');

describe('results on Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });

  const place = async () => ({ url: await server.createDatabase() });
  keepingContract(place, 3);
  statisticsContract(place, 3);

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
