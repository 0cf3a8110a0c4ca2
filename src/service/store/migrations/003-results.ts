/** Adds roll-ups of results by hour and day, and indexes for the retention of results. */
import { type Kysely, sql } from 'kysely';
import type { Columns, Migration } from './migration.ts';

async function rollUps(db: Kysely<unknown>, { text, integer, bigint }: Columns): Promise<void> {
  await db.schema
    .createTable('result_rollups')
    .addColumn('account_id', text, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('check_id', text, (column) => column.notNull())
    .addColumn('period', text, (column) => column.notNull())
    .addColumn('starts_at', bigint, (column) => column.notNull())
    .addColumn('location', text, (column) => column.notNull())
    .addColumn('passed', integer, (column) => column.notNull())
    .addColumn('degraded', integer, (column) => column.notNull())
    .addColumn('failed', integer, (column) => column.notNull())
    .addColumn('errors', integer, (column) => column.notNull())
    .addColumn('cancelled', integer, (column) => column.notNull())
    .addColumn('times', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('result_rollups_key', ['check_id', 'period', 'starts_at', 'location'])
    .addForeignKeyConstraint(
      'result_rollups_check',
      ['account_id', 'check_id'],
      'checks',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
}

export const results: Migration = {
  name: '003-results',
  async up(db, columns) {
    await rollUps(db, columns);
    await db.schema
      .alterTable('results')
      .addColumn('rolled_up', columns.integer, (column) => column.notNull().defaultTo(0))
      .execute();
    // The partial index contains only pending results, so that they are found quickly among many results.
    await sql`create index results_to_roll_up on results (check_id, started_at) where rolled_up = 0`.execute(
      db,
    );
    await db.schema
      .createIndex('check_sessions_by_stopped_at')
      .on('check_sessions')
      .column('stopped_at')
      .execute();
    await db.schema
      .createIndex('test_sessions_by_stopped_at')
      .on('test_sessions')
      .column('stopped_at')
      .execute();
    await db.schema.createIndex('error_groups_by_last_seen').on('error_groups').column('last_seen').execute();
  },
};
