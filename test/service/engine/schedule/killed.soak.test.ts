/** A started group over kill -9 of its process, at any moment and more than once: all of it ends once, in order, so many at once. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import { engineStore } from '../../../../src/service/store/engine/index.ts';
import { openStore, type Store, type StoreLocation } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import { killedProcesses } from '../../../support/killed.ts';
import { openPostgres, type Postgres } from '../../../support/postgres.ts';
import type { Life } from './killed-batch.ts';

const BATCHES = 15;
const CHECKS = 6;
const CONCURRENCY = 2;
/** How many lines an undisturbed process tells until all is over. */
const LINES = 1 + 2 * CHECKS;
/** On Postgres nobody knows that a process is dead but by the end of its claims: the next one's clock is so much ahead, in ms. */
const AFTER_CLAIM = 31_000;

const { file, killedAfter } = killedProcesses(join(import.meta.dirname, 'killed-batch.ts'));

/** A group whose last check was made first: only `groupOrder` tells how they go. */
async function groupOf(store: Store) {
  const accountId = (await store.accounts.list())[0]?.id ?? (await store.accounts.create('test')).id;
  const group = { name: 'a group', concurrency: CONCURRENCY, retryStrategy: 'FALLBACK' as const };
  const { id: groupId } = await store.groups.create(accountId, group);
  const ids: string[] = [];
  for (let n = CHECKS - 1; n >= 0; n -= 1) {
    const body = {
      name: `${n}`,
      groupId,
      groupOrder: n,
      request: { query: 'example.org' },
      retryStrategy: null,
    };
    const check = { ...body, ...byHand(), heartbeat: {}, script: '' };
    ids.unshift((await store.checks.create(accountId, { type: 'DNS', body: check })).id);
  }
  return { groupId, ids };
}

/** Which attempts were the first of their check, in their order; within each life so many at once, none of a check twice. */
function beginsOf(lives: readonly (readonly string[])[]): string[] {
  const begun = new Set<string>();
  for (const lines of lives) {
    const open = new Set<string>();
    for (const line of lines) {
      const [what, name = ''] = line.split(' ');
      if (what === 'begin') {
        expect(open.has(name), `${name} runs twice at once`).toBe(false);
        begun.add(name);
        open.add(name);
        expect(open.size).toBeLessThanOrEqual(CONCURRENCY);
      } else if (what === 'end') open.delete(name);
    }
  }
  return [...begun];
}

async function survives(location: StoreLocation, batches: number): Promise<void> {
  const open = () => openStore(location, { clock: systemClock, random: systemRandom });
  const url = 'url' in location ? location.url : '';
  const order = Array.from({ length: CHECKS }, (_, n) => `${n}`);
  let deaths = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    let store = await open();
    const { groupId, ids } = await groupOf(store);
    await store.close();
    const live = (lines: number, life: Life) => {
      deaths += 1;
      return killedAfter(lines, url, String(url ? deaths * AFTER_CLAIM : 0), life, String(groupId));
    };
    const kills = [0, 1].map(() => Math.floor(Math.random() * LINES));
    const lives: string[][] = [];
    for (const [n, lines] of kills.entries()) lives.push(await live(lines, n === 0 ? 'start' : 'resume'));
    lives.push(await live(Number.POSITIVE_INFINITY, 'finish'));

    store = await open();
    const rows = await store.db
      .selectFrom('check_sessions')
      .select(['id', 'check_id', 'status'])
      .where('check_id', 'in', ids)
      .orderBy('batch_place')
      .execute();
    const why = `killed after ${kills.join(' and ')} lines: ${JSON.stringify(lives)}`;
    expect(lives.flat(), why).not.toContain('stuck');
    // All or nothing was planned, and what was acknowledged was.
    if (rows.length > 0 || lives.flat().includes('started')) {
      expect(
        rows.map(({ check_id }) => check_id),
        why,
      ).toEqual(ids);
      expect(beginsOf(lives), why).toEqual(order);
    } else
      expect(
        lives.flat().filter((line) => line !== 'over'),
        why,
      ).toEqual([]);
    for (const [place, { id, status }] of rows.entries()) {
      const results = await engineStore(store).results.ofSessions([id]);
      expect(
        results.map(({ result_type }) => result_type),
        why,
      ).toEqual(['FINAL']);
      expect(status, why).toBe(place % 2 === 1 ? 'FAILED' : 'PASSED');
    }
    expect(await engineStore(store).runs.countWaiting(), why).toBe(0);
    await store.close();
  }
}

const NAME =
  'ends every check of a started group once, in order and no more at once than its concurrency, over kills';

it(`on SQLite ${NAME}`, () => survives({ path: file }, BATCHES));

describe('on Postgres', () => {
  let server: Postgres;
  beforeAll(async () => {
    server = await openPostgres();
  });

  it(NAME, async () => survives({ url: await server.createDatabase() }, Math.ceil(BATCHES / 2)));
});
