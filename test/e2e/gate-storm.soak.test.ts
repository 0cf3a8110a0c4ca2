/** The gate in a storm, in part: faulted runs whose right end is known, each by the built binary through real sockets. */
import { expect, it } from 'vitest';
import { needsOpenssl } from '../support/fault-proxy/authority.ts';
import { described, storm } from '../support/storm/storm.ts';

const RUNS = 60;

it(`ends ${RUNS} faulted runs as their sessions did, whatever the network does`, async (context) => {
  needsOpenssl(context);
  const seed = Number(process.env.SONDE_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
  console.log(`the storm's seed is ${seed}; SONDE_TEST_SEED gives it again`);
  const reports = await storm({ runs: RUNS, seed, atOnce: 12, slow: false, restarts: 0 });
  expect(reports).toHaveLength(RUNS);
  expect(reports.filter(({ wrong }) => wrong !== undefined).map(described)).toEqual([]);
});
