/** Speeds up lists and clean-ups: adds narrow listing rows of checks, and partial indexes for rare rows. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const reads: Migration = {
  name: '021-reads',
  async up(db, { text, bigint }) {
    // The listing rows do not change with a tick, whereas each tick writes every index of `checks`.
    await db.schema
      .createTable('check_listing')
      .addColumn('check_id', text, (column) =>
        column.primaryKey().references('checks.id').onDelete('cascade'),
      )
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('type', text, (column) => column.notNull())
      .addColumn('name_folded', text, (column) => column.notNull())
      .addColumn('created_at', bigint, (column) => column.notNull())
      .execute();
    await sql`insert into check_listing (check_id, account_id, type, name_folded, created_at)
      select id, account_id, type, name_folded, created_at from checks`.execute(db);
    // Partial indexes by state: a claimed attempt is in fewer of them.
    for (const columns of ['state_pool_not_before_id', 'state_claim_by', 'state_lease_until'])
      await db.schema.dropIndex(`runs_by_${columns}`).execute();
    for (const made of [
      sql`create index runs_queued on runs (pool, not_before, id) where state = 'QUEUED'`,
      sql`create index runs_by_claim_by on runs (claim_by) where state = 'QUEUED'`,
      sql`create index runs_by_lease_until on runs (lease_until) where state = 'RUNNING'`,
      sql`create index check_listing_by_age on check_listing (account_id, created_at, check_id, name_folded)`,
      sql`create index check_listing_by_type on check_listing (account_id, type, created_at, check_id)`,
      sql`create index checks_by_status on checks (account_id, status, created_at, id)
        where status in ('failing', 'degraded')`,
      sql`create index check_sessions_by_status on check_sessions (account_id, status, started_at, id)
        where status in ('FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED')`,
      sql`create index check_sessions_of_check_by_status on check_sessions (check_id, status, started_at, id)
        where status in ('FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED')`,
      sql`create index test_sessions_unrecorded on test_sessions (stopped_at) where is_recorded = 0`,
      sql`create index page_subscribers_unconfirmed on page_subscribers (asked_at) where confirmed_at is null`,
      sql`create index page_subscribers_confirm_hash on page_subscribers (confirm_hash)
        where confirm_hash is not null`,
    ])
      await made.execute(db);
  },
};
