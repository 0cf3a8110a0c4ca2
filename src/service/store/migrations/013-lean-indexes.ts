/** Indexes that hold only what is looked for in them: most sessions are of no test and no batch, and soon have no deadline. */
import type { Migration } from './migration.ts';

/** Of which table and columns; rows of which the first is null stand in none of them. */
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
