/** Creates the table of artifacts: screenshots and traces of results. */
import type { Migration } from './migration.ts';

export const artifacts: Migration = {
  name: '008-artifacts',
  async up(db, { text, bigint }) {
    await db.schema
      .createTable('artifacts')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('result_id', text, (column) => column.notNull().references('results.id').onDelete('cascade'))
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('content_type', text, (column) => column.notNull())
      .addColumn('bytes', bigint, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('artifacts_by_result_id').on('artifacts').columns(['result_id']).execute();
  },
};
