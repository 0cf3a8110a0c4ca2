/** How a store's tables come about, whatever database is underneath. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { openStore, type StatusPageRecord, type StoreLocation } from '../../../src/service/store/index.ts';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import type { Migration } from '../../../src/service/store/migrations/migration.ts';
import { dependencies, dnsCheck } from './harness.ts';

const next: Migration = {
  name: '999-next',
  async up(db, { text }) {
    await db.schema.createTable('next_things').addColumn('id', text).execute();
  },
};

/** Sessions that have ended, each with an id of its own; `tick`: what it was started for. */
function sessionOf(accountId: string) {
  let count = 0;
  return (checkId: string | null, tick: number | null = null) => ({
    ...{ id: `session-${++count}`, account_id: accountId, check_id: checkId, test_session_id: null },
    ...{ check_name: 'c', check_type: 'PLAYWRIGHT', status: 'PASSED', run_source: 'TEST_RECORD' },
    ...{ scheduled_at: tick, started_at: 1, stopped_at: 2, ends_by: null, locations: '[]', plan: null },
    ...{ batch_id: null, batch_place: null, cancelled_at: null },
  });
}

const resultOf = (accountId: string, id: string, checkId: string | null, session_id: string) => ({
  ...{ id, account_id: accountId, check_id: checkId, session_id, test_session_id: null },
  ...{ check_name: 'c', check_type: 'PLAYWRIGHT', location: 'eu-west-1', check_run_id: 1, sequence_id: id },
  ...{ attempt: 0, result_type: 'FINAL', has_failures: 0, has_errors: 0, is_degraded: 0, aborted: 0 },
  ...{ over_max_response_time: 0, is_cancelled: 0, started_at: 1, stopped_at: 2, created_at: 2 },
  ...{ response_time_us: null, errors: '[]', details: '{}', error_group_ids: '[]' },
});

const PAGE = { name: 'Shop', url: 'shop', cards: [] } as unknown as StatusPageRecord['body'];

export function migrationContract(place: () => Promise<StoreLocation>): void {
  describe('migrations', () => {
    test('keep what is there, and run once', async () => {
      const at = await place();
      const before = await openStore(at, dependencies());
      const { id } = await before.accounts.create('kept');
      await before.close();
      for (let again = 0; again < 2; again += 1) {
        const after = await openStore(at, dependencies(), [...MIGRATIONS, next]);
        expect(await after.accounts.get(id)).toMatchObject({ name: 'kept' });
        await after.close();
      }
    });

    test('of a newer program are refused by name, and the store is left as it is', async () => {
      const at = await place();
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
      const older = openStore(at, dependencies());
      await expect(older).rejects.toThrow(UsageError);
      await expect(older).rejects.toThrow('newer sonde (it has had 999-next)');
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
    });

    test('let sessions and results be of no check, and keep those that there were', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '012-suites-of-tests');
      const old = await openStore(at, dependencies(), MIGRATIONS.slice(0, before));
      const { id: accountId } = await old.accounts.create('kept');
      const { id: checkId } = await old.checks.create(accountId, dnsCheck());
      const session = sessionOf(accountId);
      const first = session(checkId, 60_000);
      await engineStore(old).sessions.insert([first]);
      await engineStore(old).results.insert([resultOf(accountId, 'old', checkId, first.id)]);
      await expect(engineStore(old).sessions.insert([session(null)])).rejects.toThrow();
      await old.close();

      const store = await openStore(at, dependencies());
      const { sessions, results } = engineStore(store);
      const [one, other] = [session(null), session(null)];
      await sessions.insert([one, other]);
      await results.insert([resultOf(accountId, 'new', null, one.id)]);
      // What held before holds still: a session a tick, and only of checks that there are.
      await expect(sessions.insert([session(checkId, 60_000)])).rejects.toThrow();
      await expect(sessions.insert([session('nobody')])).rejects.toThrow();
      expect(await results.find('old')).toMatchObject({ check_id: checkId });
      await store.checks.delete(accountId, checkId);
      expect(await results.find('old')).toBeUndefined();
      expect(await results.find('new')).toMatchObject({ check_id: null });
      await store.close();
    });

    test('merge the subscriptions of one mailbox, and leave the one that is confirmed', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '018-subscription-requests');
      const old = await openStore(at, dependencies(), MIGRATIONS.slice(0, before));
      const { id: accountId } = await old.accounts.create('kept');
      const { id: page } = await old.statusPages.create(accountId, PAGE);
      const rows = [
        ['a', 'EMAIL', 'ada@example.com', null],
        ['b', 'EMAIL', 'Ada@example.com', 7],
        ['c', 'EMAIL', 'bob@example.com', null],
        ['d', 'WEBHOOK', 'https://example.com/A', 7],
        ['e', 'WEBHOOK', 'https://example.com/a', 7],
      ] as const;
      for (const [id, kind, address, confirmed] of rows)
        await sql`insert into page_subscribers (id, page_id, kind, address, asked_at, confirmed_at)
          values (${id}, ${page}, ${kind}, ${address}, 5, ${confirmed})`.execute(old.db);
      await old.close();
      const store = await openStore(at, dependencies());
      const left = await store.db.selectFrom('page_subscribers').selectAll().orderBy('id').execute();
      expect(left.map(({ id, canonical }) => [id, canonical])).toEqual([
        ['b', 'ada@example.com'],
        ['c', 'bob@example.com'],
        ['d', 'https://example.com/A'],
        ['e', 'https://example.com/a'],
      ]);
      await store.close();
    });

    test('that fail leave nothing behind', async () => {
      const at = await place();
      const failing: Migration = {
        ...next,
        async up(db, columns) {
          await next.up(db, columns);
          throw new Error('half way');
        },
      };
      await expect(openStore(at, dependencies(), [...MIGRATIONS, failing])).rejects.toThrow('half way');
      await (await openStore(at, dependencies(), [...MIGRATIONS, next])).close();
    });
  });
}
