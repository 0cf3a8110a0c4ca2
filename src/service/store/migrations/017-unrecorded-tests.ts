/** Whether a test session is recorded. Lists omit a session that is not, and it is deleted soon after its end. */
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
