/** Marks the first open message of each lane, so that senders find it without reading the messages behind it. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const outboxTurns: Migration = {
  name: '020-outbox-turns',
  async up(db, { integer }) {
    for (const [name, standard] of [
      ['in_turn', 1],
      ['bytes', 0],
    ] as const)
      await db.schema
        .alterTable('outbox')
        .addColumn(name, integer, (column) => column.notNull().defaultTo(standard))
        .execute();
    for (const name of ['outbox_by_lane', 'outbox_by_state', 'outbox_by_account'])
      await db.schema.dropIndex(name).execute();
    await sql`create index outbox_lanes on outbox (lane, id) where state in ('QUEUED', 'SENDING')`.execute(
      db,
    );
    await sql`update outbox set in_turn = 0 where state = 'QUEUED' and exists (select 1 from outbox as before
      where before.lane = outbox.lane and before.id < outbox.id and before.state in ('QUEUED', 'SENDING'))`.execute(
      db,
    );
    await sql`update outbox set bytes = octet_length(payload) where payload is not null`.execute(db);
    const ofAlerts = sql`where alert_type is not null`;
    for (const made of [
      sql`create index outbox_in_turn on outbox (destination, not_before, id)
        where state = 'QUEUED' and in_turn = 1`,
      sql`create index outbox_due on outbox (not_before) where state = 'QUEUED' and in_turn = 1`,
      sql`create index outbox_leases on outbox (lease_until) where state = 'SENDING'`,
      sql`create index outbox_sizes on outbox (state, bytes)`,
      sql`create index outbox_by_account on outbox (account_id)`,
      sql`create index outbox_alerts on outbox (account_id, created_at, id) ${ofAlerts}`,
      sql`create index outbox_alerts_of_check on outbox (account_id, check_id, created_at, id) ${ofAlerts}`,
      sql`create index outbox_alerts_of_channel on outbox (account_id, channel_id, created_at, id) ${ofAlerts}`,
      sql`create index outbox_alerts_by_state on outbox (account_id, state, created_at, id)
        where alert_type is not null and state <> 'SENT'`,
    ])
      await made.execute(db);
  },
};
