/** Creates the tables of the engine: sessions, runs, results and error groups. */
import type { Kysely } from 'kysely';
import { OWNED_BY_ACCOUNT } from './001-resources.ts';
import { type Columns, createIndex, type Migration, referenceOwned, table } from './migrate.ts';

const OWNED_BY_CHECK = { ...OWNED_BY_ACCOUNT, check_id: 'text not null' } as const;

const indexEngine = (db: Kysely<unknown>, on: string, columns: string, isUnique = false) =>
  createIndex(db, `${on}_by_${columns.replaceAll(', ', '_')}`, on, columns, isUnique);

async function createSessions(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await table(db, columns, 'test_sessions', {
    id: 'text primary key',
    ...OWNED_BY_ACCOUNT,
    name: 'text not null',
    status: 'text not null',
    started_at: 'bigint not null',
    stopped_at: 'bigint',
    metadata: 'text',
  }).execute();
  await indexEngine(db, 'test_sessions', 'account_id, started_at, id');
  const name = 'check_sessions';
  const sessions = table(db, columns, name, {
    id: 'text primary key',
    ...OWNED_BY_CHECK,
    test_session_id: 'text references test_sessions.id',
    check_name: 'text not null',
    check_type: 'text not null',
    status: 'text not null',
    run_source: 'text not null',
    locations: 'text not null',
    started_at: 'bigint not null',
    scheduled_at: 'bigint',
    stopped_at: 'bigint',
    ends_by: 'bigint',
    plan: 'text',
    batch_id: 'text',
    batch_place: 'integer',
    cancelled_at: 'bigint',
  });
  await referenceOwned(sessions, `${name}_check`, 'check_id', 'checks').execute();
  await indexEngine(db, name, 'check_id, scheduled_at', true);
  await indexEngine(db, name, 'account_id, started_at, id');
  await indexEngine(db, name, 'check_id, started_at, id');
  await indexEngine(db, name, 'test_session_id');
  await indexEngine(db, name, 'ends_by');
  await indexEngine(db, name, 'batch_id, batch_place');
}

async function createRuns(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await table(db, columns, 'runs', {
    id: 'numbered key',
    ...OWNED_BY_ACCOUNT,
    session_id: 'text references check_sessions.id',
    sequence_id: 'text not null',
    location: 'text not null',
    pool: 'text not null',
    state: 'text not null',
    not_before: 'bigint not null',
    claim_by: 'bigint not null',
    attempt: 'integer not null',
    timeout_ms: 'integer not null',
    check_run_id: 'bigint',
    first_started_at: 'bigint',
    claimed_by: 'text',
    claimed_at: 'bigint',
    lease_until: 'bigint',
  }).execute();
  await indexEngine(db, 'runs', 'session_id');
  await indexEngine(db, 'runs', 'state, pool, not_before, id');
  await indexEngine(db, 'runs', 'state, claim_by');
  await indexEngine(db, 'runs', 'state, lease_until');
}

async function createResults(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const results = table(db, columns, 'results', {
    id: 'text primary key',
    ...OWNED_BY_CHECK,
    session_id: 'text references check_sessions.id',
    test_session_id: 'text references test_sessions.id',
    check_name: 'text not null',
    check_type: 'text not null',
    location: 'text not null',
    sequence_id: 'text not null',
    result_type: 'text not null',
    errors: 'text not null',
    details: 'text not null',
    error_group_ids: 'text not null',
    attempt: 'integer not null',
    has_failures: 'integer not null',
    has_errors: 'integer not null',
    is_degraded: 'integer not null',
    over_max_response_time: 'integer not null',
    is_cancelled: 'integer not null',
    aborted: 'integer not null',
    check_run_id: 'bigint not null',
    started_at: 'bigint not null',
    stopped_at: 'bigint not null',
    created_at: 'bigint not null',
    response_time_us: 'bigint',
  });
  await referenceOwned(results, 'results_check', 'check_id', 'checks').execute();
  await indexEngine(db, 'results', 'check_id, started_at, id');
  await indexEngine(db, 'results', 'session_id');
  await indexEngine(db, 'results', 'test_session_id');
  await indexEngine(db, 'results', 'created_at');
}

async function createErrorGroups(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const groups = table(db, columns, 'error_groups', {
    id: 'text primary key',
    ...OWNED_BY_CHECK,
    error_hash: 'text not null',
    raw_message: 'text not null',
    cleaned_message: 'text not null',
    first_seen: 'bigint not null',
    last_seen: 'bigint not null',
    archived_until_next_event: 'integer not null',
    archived_for_ever: 'integer not null',
  });
  await referenceOwned(groups, 'error_groups_check', 'check_id', 'checks').execute();
  await indexEngine(db, 'error_groups', 'check_id, error_hash', true);
  await indexEngine(db, 'error_groups', 'check_id, last_seen, id');
  const missed = table(db, columns, 'missed_ticks', {
    id: 'numbered key',
    ...OWNED_BY_CHECK,
    first_tick: 'bigint not null',
    last_tick: 'bigint not null',
    recorded_at: 'bigint not null',
    ticks: 'integer not null',
  });
  await referenceOwned(missed, 'missed_ticks_check', 'check_id', 'checks').execute();
  await indexEngine(db, 'missed_ticks', 'check_id, first_tick');
}

export const engine: Migration = {
  name: '002-engine',
  async up(db, columns) {
    await createSessions(db, columns);
    await createRuns(db, columns);
    await createResults(db, columns);
    await createErrorGroups(db, columns);
  },
};
