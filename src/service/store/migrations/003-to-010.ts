/** Adds roll-ups, messages, status pages, maintenance, artifacts, heartbeats and code bundles. */
import { type Kysely, sql } from 'kysely';
import { incidentTimes } from '../status-pages.ts';
import { addColumns, type Columns, createIndex, type Migration, referenceOwned, table } from './migrate.ts';

const ACCOUNT = 'text not null references accounts.id';

const results: Migration = {
  name: '003-results',
  async up(db, columns) {
    const rollUps = table(db, columns, 'result_rollups', {
      account_id: ACCOUNT,
      check_id: 'text not null',
      period: 'text not null',
      starts_at: 'bigint not null',
      location: 'text not null',
      passed: 'integer not null',
      degraded: 'integer not null',
      failed: 'integer not null',
      errors: 'integer not null',
      cancelled: 'integer not null',
      times: 'text not null',
    }).addPrimaryKeyConstraint('result_rollups_key', ['check_id', 'period', 'starts_at', 'location']);
    await referenceOwned(rollUps, 'result_rollups_check', 'check_id', 'checks').execute();
    await addColumns(db, columns, 'results', { rolled_up: 'integer not null default 0' });
    // The partial index contains only pending results, so that they are found quickly among many results.
    await sql`create index results_to_roll_up on results (check_id, started_at) where rolled_up = 0`.execute(
      db,
    );
    await createIndex(db, 'check_sessions_by_stopped_at', 'check_sessions', 'stopped_at');
    await createIndex(db, 'test_sessions_by_stopped_at', 'test_sessions', 'stopped_at');
    await createIndex(db, 'error_groups_by_last_seen', 'error_groups', 'last_seen');
  },
};

const messages: Migration = {
  name: '004-messages',
  async up(db, columns) {
    await table(db, columns, 'outbox', {
      id: 'numbered key',
      account_id: ACCOUNT,
      idempotency_key: 'text not null unique',
      kind: 'text not null',
      recipient: 'text not null',
      destination: 'text not null',
      lane: 'text',
      payload: 'text',
      state: 'text not null',
      not_before: 'bigint not null',
      attempts: 'integer not null',
      claimed_by: 'text',
      lease_until: 'bigint',
      last_error: 'text',
      created_at: 'bigint not null',
      ended_at: 'bigint',
      // No foreign keys: sent messages remain visible after their channel or check is deleted.
      channel_id: 'bigint',
      check_id: 'text',
      alert_type: 'text',
    }).execute();
    await createIndex(db, 'outbox_by_state', 'outbox', 'state, not_before, id');
    await createIndex(db, 'outbox_by_lane', 'outbox', 'lane, id');
    await createIndex(db, 'outbox_by_account', 'outbox', 'account_id, id');
    await createIndex(db, 'outbox_by_end', 'outbox', 'ended_at');
    const states = table(db, columns, 'alert_states', {
      check_id: 'text primary key',
      account_id: 'text not null',
      state: 'text not null',
      due_at: 'bigint',
    });
    await referenceOwned(states, 'alert_states_check', 'check_id', 'checks').execute();
    await createIndex(db, 'alert_states_by_due_at', 'alert_states', 'due_at');
  },
};

/** Adds time columns to incidents, and fills them for existing ones. */
async function addIncidentTimes(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await addColumns(db, columns, 'incidents', { opened_at: 'bigint', resolved_at: 'bigint' });
  await createIndex(db, 'incidents_account_id_resolved_at', 'incidents', 'account_id, resolved_at');
  const rows = db as Kysely<{
    incidents: { id: string; body: string; opened_at: number | null; resolved_at: number | null };
  }>;
  for (const { id, body } of await rows.selectFrom('incidents').select(['id', 'body']).execute())
    await rows
      .updateTable('incidents')
      .set(incidentTimes(JSON.parse(body)))
      .where('id', '=', id)
      .execute();
  // The key admits one open incident per check. Deleting the check does not delete the incident, which a user can resolve.
  await table(db, columns, 'automatic_incidents', {
    check_id: 'text primary key references checks.id',
    account_id: ACCOUNT,
    incident_id: 'text references incidents.id',
  }).execute();
}

/** Adds a unique column for custom domains. The oldest page keeps a domain that several pages have. */
async function addCustomDomains(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await addColumns(db, columns, 'status_pages', { custom_domain: 'text' });
  const rows = db as Kysely<{
    status_pages: { id: string; body: string; custom_domain: string | null; created_at: number };
  }>;
  const seen = new Set<string>();
  const pages = rows.selectFrom('status_pages').select(['id', 'body']).orderBy('created_at').orderBy('id');
  for (const { id, body } of await pages.execute()) {
    const { customDomain } = JSON.parse(body) as { customDomain?: string | null };
    const domain = customDomain?.toLowerCase();
    if (!domain || seen.has(domain)) continue;
    seen.add(domain);
    await rows.updateTable('status_pages').set({ custom_domain: domain }).where('id', '=', id).execute();
  }
  await createIndex(db, 'status_pages_custom_domain', 'status_pages', 'custom_domain', true);
}

async function createPageAccess(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await table(db, columns, 'status_page_access', {
    page_id: 'text primary key references status_pages.id',
    is_private: 'integer not null',
    white_label: 'integer not null',
    key_hash: 'text',
  }).execute();
  await table(db, columns, 'page_subscribers', {
    id: 'text primary key',
    page_id: 'text not null references status_pages.id',
    kind: 'text not null',
    address: 'text not null',
    confirm_hash: 'text',
    asked_at: 'bigint not null',
    confirmed_at: 'bigint',
  })
    .addUniqueConstraint('page_subscribers_once', ['page_id', 'kind', 'address'])
    .execute();
  await createIndex(db, 'page_subscribers_page_id_asked_at', 'page_subscribers', 'page_id, asked_at');
}

const pages: Migration = {
  name: '005-pages',
  async up(db, columns) {
    await addIncidentTimes(db, columns);
    await addCustomDomains(db, columns);
    await createPageAccess(db, columns);
    await table(db, columns, 'service_settings', {
      name: 'text primary key',
      value: 'text not null',
    }).execute();
  },
};

const maintenance: Migration = {
  name: '006-maintenance',
  async up(db, columns) {
    await table(db, columns, 'maintenance_states', {
      window_id: 'bigint primary key references maintenance_windows.id',
      account_id: ACCOUNT,
      started_at: 'bigint',
      ended_through: 'bigint',
      open_since: 'bigint',
      told_until: 'bigint not null',
    }).execute();
    await table(db, columns, 'maintenance_versions', {
      account_id: 'text primary key references accounts.id',
      version: 'text not null',
    }).execute();
    await sql`
      insert into maintenance_states (window_id, account_id, told_until)
      select id, account_id, coalesce(updated_at, created_at) from maintenance_windows
    `.execute(db);
    // The version must only be unique and differ from the next one, so the account's ID is suitable.
    await sql`
      insert into maintenance_versions (account_id, version)
      select distinct account_id, account_id from maintenance_windows
    `.execute(db);
  },
};

const artifacts: Migration = {
  name: '008-artifacts',
  async up(db, columns) {
    await table(db, columns, 'artifacts', {
      id: 'text primary key',
      account_id: ACCOUNT,
      result_id: 'text not null references results.id',
      kind: 'text not null',
      name: 'text not null',
      content_type: 'text not null',
      bytes: 'bigint not null',
    }).execute();
    await createIndex(db, 'artifacts_by_result_id', 'artifacts', 'result_id');
  },
};

const checkTypes: Migration = {
  name: '010-check-types',
  async up(db, columns) {
    await table(db, columns, 'heartbeats', {
      check_id: 'text primary key references checks.id',
      account_id: 'text not null',
      token: 'text not null unique',
      state: 'text not null',
      period_ms: 'bigint not null',
      grace_ms: 'bigint not null',
      last_ping_at: 'bigint',
      due_at: 'bigint',
      recorded_at: 'bigint',
    }).execute();
    await createIndex(db, 'heartbeats_by_due_at', 'heartbeats', 'due_at');
    await table(db, columns, 'code_bundles', {
      account_id: ACCOUNT,
      id: 'text not null',
      bytes: 'bigint not null',
      archive: 'text not null',
      created_at: 'bigint not null',
    })
      .addPrimaryKeyConstraint('code_bundles_key', ['account_id', 'id'])
      .execute();
  },
};

export const MIGRATIONS_003_TO_010 = [results, messages, pages, maintenance, artifacts, checkTypes];
