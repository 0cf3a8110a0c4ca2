/** Stores the IDs that receivers give messages, to which later messages of an alert reply. */
import { sql } from 'kysely';
import { addColumns, type Migration } from './migrate.ts';

export const receipts: Migration = {
  name: '029-receipts',
  async up(db, columns) {
    await addColumns(db, columns, 'outbox', { receipt: 'text' });
    await sql`create index outbox_receipts on outbox (lane, id) where receipt is not null`.execute(db);
  },
};
