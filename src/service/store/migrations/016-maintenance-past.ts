/** Creates the table of past maintenance periods, whose sessions do not alert even after the window was changed. */
import type { Migration } from './migration.ts';

export const maintenancePast: Migration = {
  name: '016-maintenance-past',
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('maintenance_past')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('starts_at', bigint, (column) => column.notNull())
      .addColumn('ends_at', bigint, (column) => column.notNull())
      .addColumn('effects', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('maintenance_past_of_account')
      .on('maintenance_past')
      .columns(['account_id', 'ends_at'])
      .execute();
  },
};
