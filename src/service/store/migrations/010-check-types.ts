/** Creates the tables of heartbeats, and of code bundles of Playwright checks. */
import type { Migration } from './migration.ts';

export const checkTypes: Migration = {
  name: '010-check-types',
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('heartbeats')
      .addColumn('check_id', text, (column) =>
        column.primaryKey().references('checks.id').onDelete('cascade'),
      )
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('token', text, (column) => column.notNull().unique())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('period_ms', bigint, (column) => column.notNull())
      .addColumn('grace_ms', bigint, (column) => column.notNull())
      .addColumn('last_ping_at', bigint)
      .addColumn('due_at', bigint)
      .addColumn('recorded_at', bigint)
      .execute();
    await db.schema.createIndex('heartbeats_by_due_at').on('heartbeats').columns(['due_at']).execute();

    await db.schema
      .createTable('code_bundles')
      .addColumn('account_id', text, (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('bytes', bigint, (column) => column.notNull())
      .addColumn('archive', text, (column) => column.notNull())
      .addColumn('created_at', bigint, (column) => column.notNull())
      .addPrimaryKeyConstraint('code_bundles_key', ['account_id', 'id'])
      .execute();
  },
};
