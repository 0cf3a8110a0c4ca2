/** Creates the tables of sessions, runs, results and error groups. */
import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Columns, Migration } from './migration.ts';

type Table = CreateTableBuilder<string, string>;

function ownedBy(table: Table, columns: Columns): Table {
  return table.addColumn('account_id', columns.text, (column) =>
    column.notNull().references('accounts.id').onDelete('cascade'),
  );
}

/** Adds `check_id`, of the same account. Deleting a check deletes the rows. */
function ofCheck(table: Table, name: string, columns: Columns): Table {
  return ownedBy(table, columns)
    .addColumn('check_id', columns.text, (column) => column.notNull())
    .addForeignKeyConstraint(
      `${name}_check`,
      ['account_id', 'check_id'],
      'checks',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    );
}

function reference(table: Table, columns: Columns, column: string, to: string): Table {
  return table.addColumn(column, columns.text, (built) => built.references(to).onDelete('cascade'));
}

/** Adds columns that are never null. */
function required(table: Table, type: Columns['text'], ...names: readonly string[]): Table {
  return names.reduce((built, name) => built.addColumn(name, type, (column) => column.notNull()), table);
}

async function index(db: Kysely<unknown>, table: string, columns: string[], isUnique = false): Promise<void> {
  const builder = db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns);
  await (isUnique ? builder.unique() : builder).execute();
}

async function sessions(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const { text, integer, bigint } = columns;
  const tests = ownedBy(
    db.schema.createTable('test_sessions').addColumn('id', text, (column) => column.primaryKey()),
    columns,
  );
  await required(required(tests, text, 'name', 'status'), bigint, 'started_at')
    .addColumn('stopped_at', bigint)
    .addColumn('metadata', text)
    .execute();
  await index(db, 'test_sessions', ['account_id', 'started_at', 'id']);

  const name = 'check_sessions';
  const table = ofCheck(
    db.schema.createTable(name).addColumn('id', text, (column) => column.primaryKey()),
    name,
    columns,
  );
  const told = required(
    reference(table, columns, 'test_session_id', 'test_sessions.id'),
    text,
    'check_name',
    'check_type',
    'status',
    'run_source',
    'locations',
  );
  await required(told, bigint, 'started_at')
    .addColumn('scheduled_at', bigint)
    .addColumn('stopped_at', bigint)
    .addColumn('ends_by', bigint)
    .addColumn('plan', text)
    .addColumn('batch_id', text)
    .addColumn('batch_place', integer)
    .addColumn('cancelled_at', bigint)
    .execute();
  await index(db, name, ['check_id', 'scheduled_at'], true);
  await index(db, name, ['account_id', 'started_at', 'id']);
  await index(db, name, ['check_id', 'started_at', 'id']);
  await index(db, name, ['test_session_id']);
  await index(db, name, ['ends_by']);
  await index(db, name, ['batch_id', 'batch_place']);
}

async function runs(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const { text, integer, bigint } = columns;
  const table = ownedBy(
    db.schema.createTable('runs').addColumn('id', columns.numberedKey, columns.numbered),
    columns,
  );
  const named = required(
    reference(table, columns, 'session_id', 'check_sessions.id'),
    text,
    'sequence_id',
    'location',
    'pool',
    'state',
  );
  const timed = required(required(named, bigint, 'not_before', 'claim_by'), integer, 'attempt', 'timeout_ms');
  await timed
    .addColumn('check_run_id', bigint)
    .addColumn('first_started_at', bigint)
    .addColumn('claimed_by', text)
    .addColumn('claimed_at', bigint)
    .addColumn('lease_until', bigint)
    .execute();
  await index(db, 'runs', ['session_id']);
  await index(db, 'runs', ['state', 'pool', 'not_before', 'id']);
  await index(db, 'runs', ['state', 'claim_by']);
  await index(db, 'runs', ['state', 'lease_until']);
}

async function results(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const { text, integer, bigint } = columns;
  const table = ofCheck(
    db.schema.createTable('results').addColumn('id', text, (column) => column.primaryKey()),
    'results',
    columns,
  );
  const led = reference(
    reference(table, columns, 'session_id', 'check_sessions.id'),
    columns,
    'test_session_id',
    'test_sessions.id',
  );
  const named = required(
    led,
    text,
    'check_name',
    'check_type',
    'location',
    'sequence_id',
    'result_type',
    'errors',
    'details',
    'error_group_ids',
  );
  const flagged = required(
    named,
    integer,
    'attempt',
    'has_failures',
    'has_errors',
    'is_degraded',
    'over_max_response_time',
    'is_cancelled',
    'aborted',
  );
  await required(flagged, bigint, 'check_run_id', 'started_at', 'stopped_at', 'created_at')
    .addColumn('response_time_us', bigint)
    .execute();
  await index(db, 'results', ['check_id', 'started_at', 'id']);
  await index(db, 'results', ['session_id']);
  await index(db, 'results', ['test_session_id']);
  await index(db, 'results', ['created_at']);
}

async function failures(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const { text, integer, bigint } = columns;
  const groups = ofCheck(
    db.schema.createTable('error_groups').addColumn('id', text, (column) => column.primaryKey()),
    'error_groups',
    columns,
  );
  const named = required(groups, text, 'error_hash', 'raw_message', 'cleaned_message');
  await required(
    required(named, bigint, 'first_seen', 'last_seen'),
    integer,
    'archived_until_next_event',
    'archived_for_ever',
  ).execute();
  await index(db, 'error_groups', ['check_id', 'error_hash'], true);
  await index(db, 'error_groups', ['check_id', 'last_seen', 'id']);

  const missed = ofCheck(
    db.schema.createTable('missed_ticks').addColumn('id', columns.numberedKey, columns.numbered),
    'missed_ticks',
    columns,
  );
  await required(
    required(missed, bigint, 'first_tick', 'last_tick', 'recorded_at'),
    integer,
    'ticks',
  ).execute();
  await index(db, 'missed_ticks', ['check_id', 'first_tick']);
}

export const engine: Migration = {
  name: '002-engine',
  async up(db, columns) {
    await sessions(db, columns);
    await runs(db, columns);
    await results(db, columns);
    await failures(db, columns);
  },
};
