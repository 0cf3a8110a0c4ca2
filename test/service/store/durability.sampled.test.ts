/** Tests that acknowledged writes survive kill -9, and that the store opens again each time. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../../src/service/store/index.ts';
import { killedProcesses } from '../../support/killed.ts';
import { runs } from '../../support/sampled.ts';
import { testDependencies } from './harness.ts';

const ROUNDS = runs(6, 12);
/** Kills during creation and opening; later kills happen during writes, after at least one acknowledgement. */
const EARLY_KILLS = 4;
const MOST_ACKNOWLEDGED = 60;

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'durability-writer.ts'));

test(`acknowledged writes survive ${ROUNDS} kills at any moment`, async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const after = round < EARLY_KILLS ? 0 : Math.floor(Math.random() * MOST_ACKNOWLEDGED) + 1;
    acknowledged.push(...(await killedAfter(after)));
    const store = await openStore({ path: file }, testDependencies());
    const account = (await store.accounts.list())[0];
    const kept = account ? await store.variables.list(account.id) : [];
    const pairs = account ? await store.snippets.list(account.id) : [];
    await store.close();
    const keys = new Set(kept.map(({ body }) => body.key));
    expect(acknowledged.filter((key) => !keys.has(key))).toEqual([]);
    expect(new Set(pairs.map(({ body }) => body.name))).toEqual(keys);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS - EARLY_KILLS);
});
