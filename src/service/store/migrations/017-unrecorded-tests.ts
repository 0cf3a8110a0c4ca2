/** Adds unrecorded test sessions, which lists omit and which are deleted soon after their end. */
import type { Migration } from './migration.ts';

export const unrecordedTests: Migration = {
  name: '017-unrecorded-tests',
  async up(db, { bigint }) {
    await db.schema
      .alterTable('test_sessions')
      .addColumn('is_recorded', bigint, (column) => column.notNull().defaultTo(1))
      .execute();
  },
};
