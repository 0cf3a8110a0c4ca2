/** Creates the tables for dependencies of checks, held alerts, and alerts that wait for others of their group or service. */
import { sql } from 'kysely';
import { addColumns, createIndex, type Migration, table } from './migrate.ts';

export const outages: Migration = {
  name: '026-outages',
  async up(db, columns) {
    // The lists are in the bodies of checks: this table finds the checks that depend on one.
    await table(db, columns, 'check_dependencies', {
      check_id: 'text not null references checks.id',
      depends_on_id: 'text not null references checks.id',
    })
      .addPrimaryKeyConstraint('check_dependencies_key', ['check_id', 'depends_on_id'])
      .execute();
    await createIndex(db, 'check_dependents', 'check_dependencies', 'depends_on_id, check_id');
    await addColumns(db, columns, 'alert_states', { held_until: 'bigint' });
    // Few checks hold an alert at any time.
    await sql`create index alert_states_held on alert_states (check_id) where held_until is not null`.execute(
      db,
    );

    await table(db, columns, 'pending_alerts', {
      id: 'numbered key',
      account_id: 'text not null references accounts.id',
      channel_id: 'bigint not null references alert_channels.id',
      bundle: 'text not null',
      check_id: 'text not null',
      alert: 'text not null',
      created_at: 'bigint not null',
      due_at: 'bigint not null',
    }).execute();
    await createIndex(db, 'pending_alerts_by_bundle', 'pending_alerts', 'account_id, bundle, channel_id, id');
    await createIndex(db, 'pending_alerts_by_due', 'pending_alerts', 'due_at');
    await table(db, columns, 'bundled_alerts', {
      message_id: 'bigint not null references outbox.id',
      check_id: 'text not null',
      alert_id: 'text not null',
      alert_type: 'text not null',
    })
      .addPrimaryKeyConstraint('bundled_alerts_key', ['message_id', 'alert_id'])
      .execute();
    await createIndex(db, 'bundled_alerts_of_check', 'bundled_alerts', 'check_id, message_id');
  },
};
