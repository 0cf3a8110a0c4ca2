/** Fills tables for tests of query plans with thousands of rows, some of them with rare values. */
import { type Kysely, sql } from 'kysely';
import type { Database, DialectName } from '../../../src/service/store/context.ts';

export const ACCOUNT = 'account';
/** The check with the rare values. */
export const RARE = 'check-0';
export const NOW = 1_800_000_000_000;
export const LATER = NOW + 60_000;

const ROWS = 4000;
/** Every 500th row is rare in tables with rare rows. */
const RARE_EVERY = 500;

/** Realistic size of a check, because Postgres scans small tables. */
const BODY = sql.lit(JSON.stringify({ script: 'x'.repeat(800) }));

/** Fills the tables. `n` counts from 0. */
export async function fillTables(db: Kysely<Database>, dialect: DialectName): Promise<void> {
  const rows =
    dialect === 'postgres'
      ? sql`(select n from generate_series(0, ${sql.lit(ROWS - 1)}) as numbers (n)) as numbers`
      : sql`(with recursive numbers (n) as (select 0 union all select n + 1 from numbers
          where n < ${sql.lit(ROWS - 1)}) select n from numbers) as numbers`;
  const isSeldom = sql`n % ${sql.lit(RARE_EVERY)} = 0`;
  const now = sql`cast(${sql.lit(NOW)} as bigint)`;
  const filling = [
    sql`insert into accounts (id, name, created_at) values (${sql.lit(ACCOUNT)}, 'a', 1)`,
    sql`insert into check_groups (account_id, activated, body, created_at)
      select 'account', 1, '{}', n from ${rows}`,
    sql`insert into check_group_tags (group_id, account_id, tag)
      select id, 'account', case when id = (select min(id) from check_groups) then 'grouped' else 'team' end from check_groups`,
    sql`insert into checks (id, account_id, type, name, name_folded, activated, muted, group_id, frequency,
        next_run_at, status, body, created_at)
      select 'check-' || n, 'account', case when ${isSeldom} then 'ICMP' else 'DNS' end, 'a check', 'a check', 1, 0,
        case when n % 40 = 1 then (select min(id) from check_groups) + n / 40 when n % 7 = 1
          then (select min(id) from check_groups) + n end, 10, ${now} + n * 1000 - 5000,
        case when ${isSeldom} then 'failing' else 'passing' end, ${BODY}, n from ${rows}`,
    sql`insert into check_listing (check_id, account_id, type, name_folded, created_at)
      select id, account_id, type, name_folded, created_at from checks`,
    sql`insert into check_locations (check_id, location, account_id) select id, 'eu-west-1', account_id from checks`,
    sql`insert into check_tags (check_id, account_id, tag, created_at)
      select id, account_id, 'all', created_at from checks`,
    sql`insert into check_tags (check_id, account_id, tag, created_at)
      select id, account_id, 'rare', created_at from checks where type = 'ICMP'`,
    sql`insert into alert_channels (account_id, body, created_at) values ('account', '{}', 1)`,
    sql`insert into alert_subscriptions (account_id, channel_id, check_id, activated)
      select 'account', (select min(id) from alert_channels), id, 1 from checks`,
    sql`insert into check_sessions (id, account_id, check_id, check_name, check_type, status, run_source, locations,
        started_at, scheduled_at, stopped_at, ends_by)
      select 'session-' || n, 'account', 'check-' || (n % 8 * 100), 'c', 'DNS',
        case when n % 500 = 1 then 'TIMED_OUT' when n % 500 = 2 then 'FAILED' when n % 500 = 3 then 'STARTED' else 'PASSED' end,
        'SCHEDULER', '[]', n, n, case when n % 500 = 3 then null else n end,
        case when n % 500 = 3 then ${now} + n end from ${rows}`,
    sql`insert into runs (account_id, session_id, sequence_id, attempt, location, pool, state, not_before, claim_by,
        timeout_ms, claimed_by, lease_until)
      select 'account', 'session-' || n, n, 0, 'x', 'public', case when ${isSeldom} then 'QUEUED' else 'RUNNING' end,
        ${now} + n - 10, ${now} + 60000 + n, 1, case when ${isSeldom} then null else 'one' end,
        case when ${isSeldom} then null else ${now} + 9000 + n end from ${rows}`,
    sql`insert into outbox (account_id, idempotency_key, kind, recipient, destination, lane, payload, bytes, state,
        in_turn, not_before, attempts, claimed_by, created_at, ended_at, check_id, alert_type)
      select 'account', 'sent-' || n, 'sms', 'x', 'sms', 'lane', null, 0, case when ${isSeldom} then 'FAILED' else 'SENT' end,
        1, n, 1, null, n, n, 'check-' || (n % 1000), 'ALERT_FAILURE' from ${rows}`,
    sql`insert into outbox (account_id, idempotency_key, kind, recipient, destination, lane, payload, bytes, state,
        in_turn, not_before, attempts, created_at, check_id, alert_type)
      select 'account', 'queued-' || n, 'webhook', 'x', 'host-' || (n % 3), 'lane-' || (n % 200), '{}', 2, 'QUEUED',
        case when n < 200 then 1 else 0 end, n, 0, n, 'check-' || (n % 1000), 'ALERT_FAILURE' from ${rows}
      where n < 1000`,
    sql`insert into test_sessions (id, account_id, name, status, started_at, stopped_at, is_recorded)
      select 'test-' || n, 'account', 't', 'PASSED', n, n, case when ${isSeldom} then 0 else 1 end from ${rows}`,
    sql`insert into status_pages (id, account_id, body, created_at) values ('page', 'account', '{}', 1)`,
    sql`insert into page_subscribers (id, page_id, kind, address, canonical, confirm_hash, asked_at, confirmed_at)
      select 'subscriber-' || n, 'page', 'EMAIL', n || '@x', n || '@x', case when ${isSeldom} then 'hash-' || n end, ${now},
        case when ${isSeldom} then null else ${now} end from ${rows}`,
  ];
  for (const one of filling) await one.execute(db);
}
