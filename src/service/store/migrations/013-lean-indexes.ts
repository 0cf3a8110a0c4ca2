/** Makes indexes partial: most sessions have no test session, no batch and, soon, no deadline. */
import type { Migration } from './migration.ts';

/** The tables and columns of the indexes, which exclude rows whose first column is null. */
const INDEXES = [
  ['check_sessions', ['test_session_id']],
  ['check_sessions', ['batch_id', 'batch_place']],
  ['check_sessions', ['ends_by']],
  ['check_sessions', ['stopped_at']],
  ['results', ['test_session_id']],
] as const;

export const leanIndexes: Migration = {
  name: '013-lean-indexes',
  async up(db) {
    for (const [table, columns] of INDEXES) {
      const name = `${table}_by_${columns.join('_')}`;
      await db.schema.dropIndex(name).execute();
      const made = db.schema
        .createIndex(name)
        .on(table)
        .columns([...columns]);
      await made.where(columns[0], 'is not', null).execute();
    }
  },
};
