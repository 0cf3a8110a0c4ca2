/** Creates the tables for the state and the version of maintenance windows. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const maintenance: Migration = {
  name: '006-maintenance',
  async up(db, columns) {
    await db.schema
      .createTable('maintenance_states')
      .addColumn('window_id', columns.bigint, (column) =>
        column.primaryKey().references('maintenance_windows.id').onDelete('cascade'),
      )
      .addColumn('account_id', columns.text, (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('started_at', columns.bigint)
      .addColumn('ended_through', columns.bigint)
      .addColumn('open_since', columns.bigint)
      .addColumn('told_until', columns.bigint, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('maintenance_versions')
      .addColumn('account_id', columns.text, (column) =>
        column.primaryKey().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('version', columns.text, (column) => column.notNull())
      .execute();
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
