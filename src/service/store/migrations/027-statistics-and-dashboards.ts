/** Adds what pages read: a row of statistics for each check, and the domain and the key of dashboards. */
import { type Kysely, sql } from 'kysely';
import { addColumns, type Columns, createIndex, type Migration, referenceOwned, table } from './migrate.ts';

async function createStatistics(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const statistics = table(db, columns, 'check_statistics', {
    check_id: 'text primary key',
    account_id: 'text not null references accounts.id',
    body: 'text not null',
    days: 'text not null',
  });
  await referenceOwned(statistics, 'check_statistics_check', 'check_id', 'checks').execute();
  // Covers what the aggregation of pending results reads: the other columns of a result are large.
  await sql`drop index results_to_roll_up`.execute(db);
  await sql`create index results_to_roll_up on results (check_id, started_at, result_type, test_session_id,
    has_failures, has_errors, is_degraded, is_cancelled, response_time_us) where rolled_up = 0`.execute(db);
}

async function extendDashboards(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await addColumns(db, columns, 'dashboards', { custom_domain: 'text' });
  const rows = await sql<{
    id: string;
    body: string;
  }>`select id, body from dashboards order by created_at, id`.execute(db);
  const domains = new Set<string>();
  for (const { id, body } of rows.rows) {
    const domain = (JSON.parse(body) as { customDomain?: string | null }).customDomain?.toLowerCase();
    // Domains had no effect so far, and several dashboards may have the same one: the oldest gets it.
    if (!domain || domains.has(domain)) continue;
    domains.add(domain);
    await sql`update dashboards set custom_domain = ${domain} where id = ${id}`.execute(db);
  }
  await createIndex(db, 'dashboards_by_domain', 'dashboards', 'custom_domain', true);
  await table(db, columns, 'dashboard_keys', {
    dashboard_id: 'text primary key references dashboards.id',
    id: 'text not null',
    hash: 'text not null',
    masked: 'text not null',
    created_at: 'bigint not null',
  }).execute();
}

export const statisticsAndDashboards: Migration = {
  name: '027-statistics-and-dashboards',
  async up(db, columns) {
    await createStatistics(db, columns);
    await extendDashboards(db, columns);
  },
};
