/** Creates the tables of the outbox and of alert states. */
import type { Migration } from './migration.ts';

export const messages: Migration = {
  name: '004-messages',
  async up(db, { text, integer, bigint, numberedKey, numbered }) {
    await db.schema
      .createTable('outbox')
      .addColumn('id', numberedKey, numbered)
      .addColumn('account_id', text, (column) =>
        column.notNull().references('accounts.id').onDelete('cascade'),
      )
      .addColumn('idempotency_key', text, (column) => column.notNull().unique())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('recipient', text, (column) => column.notNull())
      .addColumn('destination', text, (column) => column.notNull())
      .addColumn('lane', text)
      .addColumn('payload', text)
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('not_before', bigint, (column) => column.notNull())
      .addColumn('attempts', integer, (column) => column.notNull())
      .addColumn('claimed_by', text)
      .addColumn('lease_until', bigint)
      .addColumn('last_error', text)
      .addColumn('created_at', bigint, (column) => column.notNull())
      .addColumn('ended_at', bigint)
      // No foreign keys: sent messages remain visible after their channel or check is deleted.
      .addColumn('channel_id', bigint)
      .addColumn('check_id', text)
      .addColumn('alert_type', text)
      .execute();
    await db.schema
      .createIndex('outbox_by_state')
      .on('outbox')
      .columns(['state', 'not_before', 'id'])
      .execute();
    await db.schema.createIndex('outbox_by_lane').on('outbox').columns(['lane', 'id']).execute();
    await db.schema.createIndex('outbox_by_account').on('outbox').columns(['account_id', 'id']).execute();
    await db.schema.createIndex('outbox_by_end').on('outbox').column('ended_at').execute();

    await db.schema
      .createTable('alert_states')
      .addColumn('check_id', text, (column) => column.primaryKey())
      .addColumn('account_id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('due_at', bigint)
      .addForeignKeyConstraint(
        'alert_states_check',
        ['account_id', 'check_id'],
        'checks',
        ['account_id', 'id'],
        (key) => key.onDelete('cascade'),
      )
      .execute();
    await db.schema.createIndex('alert_states_by_due_at').on('alert_states').column('due_at').execute();
  },
};
