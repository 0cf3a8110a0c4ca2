/** Adds notices to subscribers that wait to be expanded, and the priorities of messages. */
import { sql } from 'kysely';
import { addColumns, createIndex, type Migration, table } from './migrate.ts';

export const notices: Migration = {
  name: '033-notices',
  async up(db, columns) {
    await table(db, columns, 'notices', {
      id: 'numbered key',
      account_id: 'text not null references accounts.id',
      body: 'text not null',
      last_subscriber: 'text not null',
      batches: 'integer not null',
      created_at: 'bigint not null',
    }).execute();
    await createIndex(db, 'notices_by_account', 'notices', 'account_id, id');
    await addColumns(db, columns, 'outbox', { priority: 'integer not null default 0' });
    await sql`update outbox set priority = 1, destination = 'notices (' || destination || ')'
      where lane like 'subscriber/%' and state in ('QUEUED', 'SENDING')`.execute(db);
    await sql`update outbox set priority = 1 where destination like 'subscription requests (%'`.execute(db);
    await sql`create index outbox_due_notices on outbox (account_id, not_before)
      where priority = 1 and state = 'QUEUED' and in_turn = 1`.execute(db);
  },
};
