/** What was acknowledged comes to an end after kill -9, whatever was under way. */

import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { createEngine } from '../../../src/service/engine/engine.ts';
import { openStore } from '../../../src/service/store/index.ts';
import { eventually } from '../../support/eventually.ts';
import { killedProcesses } from '../../support/killed.ts';
import { evaluateInProcess } from '../../support/runners.ts';
import { runs } from '../../support/sampled.ts';
import { createTarget } from './harness.ts';

const ROUNDS = runs(1, 6);
const WAIT_MS = 120_000;

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-engine.ts'));
const open = () => openStore({ path: file }, { clock: systemClock, random: systemRandom });

it(`every acknowledged session ends, once, in ${ROUNDS} kills at any moment`, async () => {
  const fresh = await open();
  const { id: accountId } = await fresh.accounts.create('test');
  for (const retryStrategy of [null, { baseBackoffSeconds: 0, maxRetries: 2 }]) {
    const body = { name: 'a check', request: { query: 'example.org' }, heartbeat: {}, script: '' };
    await fresh.checks.create(accountId, {
      type: 'DNS',
      body: { ...body, locations: ['eu-west-1', 'us-east-1'], runParallel: true, retryStrategy },
    });
  }
  await fresh.close();
  for (let round = 0; round < ROUNDS; round += 1) {
    const acknowledged = await killedAfter(1 + Math.floor(Math.random() * 30));
    const store = await open();
    const engine = createEngine({
      ...{ store, clock: systemClock, evaluate: evaluateInProcess, random: systemRandom, logger: console },
      ...{ locations: ['eu-west-1'], resolvers: () => [], concurrency: 4, graceMs: 5000 },
      runners: { DNS: createTarget().runner },
    });
    await engine.start();
    const waited = await Promise.all(acknowledged.map((id) => engine.awaitSession(accountId, id, WAIT_MS)));
    for (const each of waited) {
      expect(each?.ended).toBe(true);
      // One final result a location: nothing is lost, and nothing is there twice.
      const finals = each?.session.results.filter(({ resultType }) => resultType === 'FINAL') ?? [];
      expect(finals.map(({ runLocation }) => runLocation).sort()).toEqual(['eu-west-1', 'us-east-1']);
    }
    // Those that were committed but not acknowledged any more come to their end too.
    await eventually(async () => expect(await engine.status()).toMatchObject({ queued: 0, active: 0 }));
    await engine.stop();
    await store.close();
  }
});
