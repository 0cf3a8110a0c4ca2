/** Tests migrations on both databases. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { engineStore } from '../../../src/service/store/engine/index.ts';
import { incidentSpans } from '../../../src/service/store/incident-course.ts';
import {
  openStore,
  type StatusPageRecord,
  type Store,
  type StoreLocation,
} from '../../../src/service/store/index.ts';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import type { Migration } from '../../../src/service/store/migrations/migrate.ts';
import { dnsCheck, testDependencies } from './harness.ts';

const next: Migration = {
  name: '999-next',
  async up(db, { text }) {
    await db.schema.createTable('next_things').addColumn('id', text).execute();
  },
};

/** Returns a function that creates rows of ended sessions with unique IDs. */
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

/** Inserts a check with SQL, because the repository writes tables that older schemas lack. */
async function insertCheck(store: Store, accountId: string, id: string, more: object = {}): Promise<string> {
  const { type, body } = dnsCheck();
  const row = {
    ...{ id, account_id: accountId, type, name: body.name, name_folded: body.name, activated: 1, muted: 0 },
    ...{ frequency: 10, body: JSON.stringify(body), created_at: 7, group_id: null, updated_at: null },
    ...{ frequency_offset: null, next_run_at: null, status: null, ...more },
  };
  await store.db.insertInto('checks').values(row).execute();
  return id;
}

const HOUR_MS = 60 * 60 * 1000;
const PAGE = { name: 'Shop', url: 'shop', cards: [] } as unknown as StatusPageRecord['body'];

export function migrationContract(place: () => Promise<StoreLocation>): void {
  describe('migrations', () => {
    test('keep existing data, and run once', async () => {
      const at = await place();
      const before = await openStore(at, testDependencies());
      const { id } = await before.accounts.create('kept');
      await before.close();
      for (let again = 0; again < 2; again += 1) {
        const after = await openStore(at, testDependencies(), [...MIGRATIONS, next]);
        expect(await after.accounts.get(id)).toMatchObject({ name: 'kept' });
        await after.close();
      }
    });

    test('keep the custom domains of pages verified', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name.endsWith('-verified-domains'));
      const old = await openStore(at, testDependencies(), MIGRATIONS.slice(0, before));
      const { id } = await old.accounts.create('kept');
      await sql`insert into status_pages (id, account_id, unique_key, body, custom_domain, created_at)
        values ('page', ${id}, 'shop', ${JSON.stringify({ ...PAGE, customDomain: 'A.example' })}, 'a.example', 1)`.execute(
        old.db,
      );
      await old.close();
      const store = await openStore(at, testDependencies());
      expect((await store.statusPages.byDomain('a.example'))?.id).toBe('page');
      const other = await store.statusPages.create(id, { ...PAGE, url: 'other', customDomain: 'a.example' });
      expect(await store.statusPages.serveAtDomain(id, other.id, 'a.example')).toBe(false);
      await store.close();
    });

    test('of a newer version are rejected by name, and the database is unchanged', async () => {
      const at = await place();
      await (await openStore(at, testDependencies(), [...MIGRATIONS, next])).close();
      const older = openStore(at, testDependencies());
      await expect(older).rejects.toThrow(UsageError);
      await expect(older).rejects.toThrow('newer version of sonde (unknown migrations: 999-next)');
      await (await openStore(at, testDependencies(), [...MIGRATIONS, next])).close();
    });

    test('allow sessions and results without a check, and keep existing ones', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '012-suites-of-tests');
      const old = await openStore(at, testDependencies(), MIGRATIONS.slice(0, before));
      const { id: accountId } = await old.accounts.create('kept');
      const checkId = await insertCheck(old, accountId, 'check-1');
      const session = sessionOf(accountId);
      const first = session(checkId, 60_000);
      await engineStore(old).sessions.insert([first]);
      await engineStore(old).results.insert([resultOf(accountId, 'old', checkId, first.id)]);
      await expect(engineStore(old).sessions.insert([session(null)])).rejects.toThrow();
      await old.close();

      const store = await openStore(at, testDependencies());
      const { sessions, results } = engineStore(store);
      const [one, other] = [session(null), session(null)];
      await sessions.insert([one, other]);
      await results.insert([resultOf(accountId, 'new', null, one.id)]);
      // The constraints still apply: one session per tick, and only of existing checks.
      await expect(sessions.insert([session(checkId, 60_000)])).rejects.toThrow();
      await expect(sessions.insert([session('nobody')])).rejects.toThrow();
      expect(await results.find('old')).toMatchObject({ check_id: checkId });
      await store.checks.delete(accountId, checkId);
      expect(await results.find('old')).toBeUndefined();
      expect(await results.find('new')).toMatchObject({ check_id: null });
      await store.close();
    });

    test('merge the subscriptions of one mailbox, and keep the confirmed one', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '018-subscription-requests');
      const old = await openStore(at, testDependencies(), MIGRATIONS.slice(0, before));
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
      const store = await openStore(at, testDependencies());
      const left = await store.db.selectFrom('page_subscribers').selectAll().orderBy('id').execute();
      expect(left.map(({ id, canonical }) => [id, canonical])).toEqual([
        ['b', 'ada@example.com'],
        ['c', 'bob@example.com'],
        ['d', 'https://example.com/A'],
        ['e', 'https://example.com/a'],
      ]);
      await store.close();
    });

    test('fill listing rows and tags of existing checks, and mark the first message of each lane', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '019-tags');
      const old = await openStore(at, testDependencies(), MIGRATIONS.slice(0, before));
      const { id: accountId } = await old.accounts.create('kept');
      const body = JSON.stringify({ name: 'group', tags: ['web', 'web'] });
      const group = { account_id: accountId, activated: 1, body, created_at: 1, updated_at: null };
      const { id: groupId } = await old.db
        .insertInto('check_groups')
        .values(group)
        .returning('id')
        .executeTakeFirstOrThrow();
      await insertCheck(old, accountId, 'own', { name_folded: 'shop' });
      await insertCheck(old, accountId, 'grouped', { group_id: groupId });
      await sql`insert into check_tags (check_id, tag) values ('own', 'prod')`.execute(old.db);
      for (const [key, lane, state] of [
        ['a', 'x', 'SENDING'],
        ['b', 'x', 'QUEUED'],
        ['c', 'y', 'QUEUED'],
        ['d', 'y', 'QUEUED'],
      ] as const)
        await sql`insert into outbox (account_id, idempotency_key, kind, recipient, destination, lane, payload,
          state, not_before, attempts, created_at)
          values (${accountId}, ${key}, 'sms', '1', 'sms', ${lane}, 'ü', ${state}, 1, 0, 1)`.execute(old.db);
      await old.close();
      const store = await openStore(at, testDependencies());
      const ids = (checks: readonly { readonly id: string }[]) => checks.map(({ id }) => id);
      expect(ids(await store.checks.tagged(accountId, [['web']]))).toEqual(['grouped']);
      expect(ids(await store.checks.list(accountId, { tags: ['prod'] }))).toEqual(['own']);
      expect(ids(await store.checks.list(accountId, { type: 'DNS', search: 'SHO' }))).toEqual(['own']);
      expect(await store.outbox.unsentBytes()).toBe(8);
      const claim = {
        sender: 'one',
        now: 9,
        leaseUntil: 9,
        perDestination: 4,
        inFlight: [],
        limit: 9,
      };
      const claimed = await store.outbox.claim(claim);
      expect(claimed.map((message) => message.idempotency_key)).toEqual(['c']);
      await store.close();
    });

    test('give existing incidents a course: what they affect now, since they began', async () => {
      const at = await place();
      const before = MIGRATIONS.findIndex(({ name }) => name === '031-incident-course');
      const old = await openStore(at, testDependencies(), MIGRATIONS.slice(0, before));
      const { id: accountId } = await old.accounts.create('kept');
      const update = (status: string, hour: number) => ({
        ...{ id: `${status} ${hour}`, description: 'An update', status, notifySubscribers: false },
        created_at: new Date(hour * HOUR_MS).toISOString(),
      });
      const incidentUpdates = [
        update('RESOLVED', 9),
        update('MONITORING', 7),
        update('RESOLVED', 3),
        update('INVESTIGATING', 1),
      ];
      const fields = { name: 'old', severity: 'MAJOR', lastUpdateStatus: 'RESOLVED', incidentUpdates };
      const body = JSON.stringify({ ...fields, services: [{ id: 'web' }] });
      await sql`insert into incidents (id, account_id, body, created_at, opened_at, resolved_at)
        values ('one', ${accountId}, ${body}, 1, ${HOUR_MS}, ${9 * HOUR_MS})`.execute(old.db);
      await old.close();
      const store = await openStore(at, testDependencies());
      const spans = async () =>
        (await store.incidents.since(accountId, 0)).flatMap((incident) =>
          incidentSpans(incident.body, incident.course, 99 * HOUR_MS).map(({ from, to, severity }) => [
            ...[from / HOUR_MS, to / HOUR_MS, severity],
          ]),
        );
      const seen = [
        [1, 3, 'MAJOR'],
        [7, 9, 'MAJOR'],
      ];
      expect(await spans()).toEqual(seen);
      await store.incidents.change(accountId, 'one', (known) => ({ ...known, severity: 'MINOR' }));
      expect(await spans()).toEqual(seen);
      await store.close();
    });

    test('that fail change nothing', async () => {
      const at = await place();
      const failing: Migration = {
        ...next,
        async up(db, columns) {
          await next.up(db, columns);
          throw new Error('half way');
        },
      };
      await expect(openStore(at, testDependencies(), [...MIGRATIONS, failing])).rejects.toThrow('half way');
      await (await openStore(at, testDependencies(), [...MIGRATIONS, next])).close();
    });
  });
}
