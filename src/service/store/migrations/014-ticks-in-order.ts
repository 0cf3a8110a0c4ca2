/** Orders the unique index of ticks by time: new entries go to its end instead of one page per check. */
import type { Migration } from './migration.ts';

export const ticksInOrder: Migration = {
  name: '014-ticks-in-order',
  async up(db) {
    await db.schema.dropIndex('check_sessions_by_check_id_scheduled_at').execute();
    const made = db.schema
      .createIndex('check_sessions_by_scheduled_at_check_id')
      .on('check_sessions')
      .columns(['scheduled_at', 'check_id'])
      .unique();
    // Sessions that a user started have no tick.
    await made.where('scheduled_at', 'is not', null).execute();
  },
};
