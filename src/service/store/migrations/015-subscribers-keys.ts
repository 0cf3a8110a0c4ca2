/** Adds the key to subscribers of private pages: after a change of the key they get no more notifications. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const subscribersKeys: Migration = {
  name: '015-subscribers-keys',
  async up(db, { text }) {
    await db.schema.alterTable('page_subscribers').addColumn('key_hash', text).execute();
    await sql`update page_subscribers set key_hash = (select access.key_hash from status_page_access access
      where access.page_id = page_subscribers.page_id and access.is_private = 1)`.execute(db);
  },
};
