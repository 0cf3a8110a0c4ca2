/** The gate in a storm, in part: faulted runs whose right end is known, each by the built binary through real sockets. */
import { expect, it } from 'vitest';
import { needsOpenssl } from '../support/fault-proxy/authority.ts';
import { makeManyChecks, runManyChecks } from '../support/many-sessions.ts';
import { described, storm } from '../support/storm/storm.ts';
import { startWorld } from './world.ts';

const RUNS = 60;

it(`ends ${RUNS} faulted runs as their sessions did, whatever the network does`, async (context) => {
  needsOpenssl(context);
  const seed = Number(process.env.SONDE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`the storm's seed is ${seed}; SONDE_TEST_SEED gives it again`);
  const reports = await storm({ runs: RUNS, seed, atOnce: 12, slow: false, restarts: 0 });
  expect(reports).toHaveLength(RUNS);
  expect(reports.filter(({ wrong }) => wrong !== undefined).map(described)).toEqual([]);
});

it('waits for a thousand sessions with at most 0.3 requests each', async () => {
  const world = await startWorld();
  try {
    await makeManyChecks(world, 1000);
    const { ran, requests } = await runManyChecks(world);
    expect(ran.code, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toHaveLength(1000);
    expect(requests).toBeLessThanOrEqual(300);
  } finally {
    await Promise.all([world.service.close(), world.names.close()]);
  }
});
