/** Long transactions on SQLite: they let others run between their statements, and nothing becomes part of them. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { systemRandom } from '../../../src/base/random.ts';
import { openStore, type Store } from '../../../src/service/store/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { countTurns } from '../../support/turns.ts';

const turns = countTurns(systemClock);
let store: Store;
let accountId = '';
beforeEach(async () => {
  const path = `${await temporaryFolder()}/sonde.db`;
  store = await openStore({ path }, { clock: turns.clock, random: systemRandom });
  accountId = (await store.accounts.create('mine')).id;
});
afterEach(() => store.close());

const STATEMENTS = 500;
/** At 1 ms each, the limit of a turn and some around it. */
const MOST_IN_TURN = 50;

it('gives the event loop a turn after a few statements, inside and outside of a transaction', async () => {
  const inside = await turns.during(() =>
    store.transaction(async (tx) => {
      for (let index = 0; index < STATEMENTS; index += 1)
        await tx.services.create(accountId, { name: `service ${index}` });
    }),
  );
  const outside = await turns.during(async () => {
    for (let index = 0; index < STATEMENTS; index += 1) await store.settings.linkSecret();
  });
  for (const { steps, most } of [inside, outside]) {
    expect(steps).toBeGreaterThanOrEqual(STATEMENTS);
    expect(most).toBeLessThan(MOST_IN_TURN);
  }
});

it('lets no statement of others into the transaction that waits for a turn', async () => {
  let isRunning = true;
  const seen = new Set<number>();
  const work = store
    .transaction(async (tx) => {
      for (let index = 0; index < STATEMENTS; index += 1)
        await tx.services.create(accountId, { name: `service ${index}` });
      throw new Error('rolled back');
    })
    .catch(() => {})
    .finally(() => {
      isRunning = false;
    });
  const written: Promise<unknown>[] = [];
  while (isRunning) {
    written.push(store.services.create(accountId, { name: 'of another' }));
    written.push(
      store.services
        .list(accountId)
        .then((all) => seen.add(all.filter(({ body }) => body.name !== 'of another').length)),
    );
    await new Promise(setImmediate);
  }
  await work;
  await Promise.all(written);
  expect(written.length).toBeGreaterThan(2);
  // Nobody saw a part of it, and the rollback took nothing of others with it.
  expect([...seen]).toEqual([0]);
  expect(await store.services.list(accountId)).toHaveLength(written.length / 2);
});
