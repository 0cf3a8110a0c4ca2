/** Creates the tables of accounts, keys, checks, groups and other resources that users configure. */
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Columns, Migration } from './migration.ts';

type Scope = 'account' | 'service';
type Table = CreateTableBuilder<string, string>;

function ownedBy(table: Table, columns: Columns): Table {
  return table.addColumn('account_id', columns.text, (column) =>
    column.notNull().references('accounts.id').onDelete('cascade'),
  );
}

function timestamps(table: Table, columns: Columns): Table {
  return table
    .addColumn('created_at', columns.bigint, (column) => column.notNull())
    .addColumn('updated_at', columns.bigint);
}

/** Returns a table with a text or numbered key, and a unique pair (account, key) for foreign keys. */
function resourceTable(db: Kysely<unknown>, columns: Columns, name: string, key: 'text' | 'number'): Table {
  const table =
    key === 'text'
      ? db.schema.createTable(name).addColumn('id', columns.text, (column) => column.primaryKey())
      : db.schema.createTable(name).addColumn('id', columns.numberedKey, columns.numbered);
  // Foreign keys include the account, so that no row can reference another account's.
  return ownedBy(table, columns).addUniqueConstraint(`${name}_owned`, ['account_id', 'id']);
}

async function index(db: Kysely<unknown>, table: string, columns: string[], unique = false): Promise<void> {
  const builder = db.schema
    .createIndex(`${table}_${columns.join('_')}`)
    .on(table)
    .columns(columns);
  await (unique ? builder.unique() : builder).execute();
}

interface DocumentOptions {
  key: 'text' | 'number';
  /** The scope in which `unique_key` must be unique. */
  unique?: Scope;
  extra?: (table: Table) => Table;
}

async function documents(db: Kysely<unknown>, columns: Columns, name: string, options: DocumentOptions) {
  const table = resourceTable(db, columns, name, options.key)
    .addColumn('unique_key', columns.text)
    .addColumn('body', columns.text, (column) => column.notNull());
  await timestamps(options.extra?.(table) ?? table, columns).execute();
  await index(db, name, ['account_id', 'created_at', 'id']);
  if (options.unique === 'account') await index(db, name, ['account_id', 'unique_key'], true);
  if (options.unique === 'service') await index(db, name, ['unique_key'], true);
}

async function accounts(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', columns.text, (column) => column.primaryKey())
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('alert_settings', columns.text)
    .addColumn('created_at', columns.bigint, (column) => column.notNull())
    .execute();
  await ownedBy(
    db.schema.createTable('api_keys').addColumn('id', columns.text, (column) => column.primaryKey()),
    columns,
  )
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('hash', columns.text, (column) => column.notNull().unique())
    .addColumn('masked', columns.text, (column) => column.notNull())
    .addColumn('created_at', columns.bigint, (column) => column.notNull())
    .addColumn('last_used_at', columns.bigint)
    .execute();
  await index(db, 'api_keys', ['account_id']);
}

async function checks(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const groups = resourceTable(db, columns, 'check_groups', 'number')
    .addColumn('activated', columns.integer, (column) => column.notNull())
    .addColumn('body', columns.text, (column) => column.notNull());
  await timestamps(groups, columns).execute();
  await index(db, 'check_groups', ['account_id', 'created_at', 'id']);

  const table = resourceTable(db, columns, 'checks', 'text')
    .addColumn('type', columns.text, (column) => column.notNull())
    .addColumn('name', columns.text, (column) => column.notNull())
    .addColumn('name_folded', columns.text, (column) => column.notNull())
    .addColumn('activated', columns.integer, (column) => column.notNull())
    .addColumn('muted', columns.integer, (column) => column.notNull())
    .addColumn('group_id', columns.bigint)
    .addColumn('frequency', columns.integer, (column) => column.notNull())
    .addColumn('frequency_offset', columns.integer)
    .addColumn('next_run_at', columns.bigint)
    .addColumn('location_cursor', columns.integer, (column) => column.notNull().defaultTo(0))
    .addColumn('status', columns.text)
    .addColumn('body', columns.text, (column) => column.notNull())
    .addForeignKeyConstraint('checks_group', ['account_id', 'group_id'], 'check_groups', [
      'account_id',
      'id',
    ]);
  await timestamps(table, columns).execute();
  await index(db, 'checks', ['account_id', 'created_at', 'id']);
  await index(db, 'checks', ['activated', 'next_run_at']);
  await index(db, 'checks', ['account_id', 'group_id']);

  await db.schema
    .createTable('check_tags')
    .addColumn('check_id', columns.text, (column) =>
      column.notNull().references('checks.id').onDelete('cascade'),
    )
    .addColumn('tag', columns.text, (column) => column.notNull())
    .addPrimaryKeyConstraint('check_tags_key', ['check_id', 'tag'])
    .execute();
  await index(db, 'check_tags', ['tag', 'check_id']);
}

/** Adds `check_id` and `group_id`, of which exactly one is set. Both reference the same account, and cascade. */
function target(table: Table, name: string, columns: Columns): Table {
  return table
    .addColumn('check_id', columns.text)
    .addColumn('group_id', columns.bigint)
    .addCheckConstraint(`${name}_target`, sql`(check_id is null) <> (group_id is null)`)
    .addForeignKeyConstraint(
      `${name}_check`,
      ['account_id', 'check_id'],
      'checks',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .addForeignKeyConstraint(
      `${name}_group`,
      ['account_id', 'group_id'],
      'check_groups',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    );
}

async function alerting(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await documents(db, columns, 'alert_channels', { key: 'number' });
  const name = 'alert_subscriptions';
  const table = ownedBy(db.schema.createTable(name), columns)
    .addColumn('channel_id', columns.bigint, (column) => column.notNull())
    .addColumn('activated', columns.integer, (column) => column.notNull())
    .addForeignKeyConstraint(
      `${name}_channel`,
      ['account_id', 'channel_id'],
      'alert_channels',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    );
  await target(table, name, columns).execute();
  await index(db, name, ['channel_id', 'check_id'], true);
  await index(db, name, ['channel_id', 'group_id'], true);
  await index(db, name, ['account_id', 'check_id']);
  await index(db, name, ['account_id', 'group_id']);
}

async function triggers(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const table = resourceTable(db, columns, 'triggers', 'number')
    .addColumn('token', columns.text, (column) => column.notNull().unique())
    .addColumn('called_at', columns.bigint);
  await timestamps(target(table, 'triggers', columns), columns).execute();
  await index(db, 'triggers', ['check_id'], true);
  await index(db, 'triggers', ['group_id'], true);
}

async function privateLocations(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await documents(db, columns, 'private_locations', { key: 'text', unique: 'account' });
  await resourceTable(db, columns, 'private_location_keys', 'text')
    .addColumn('location_id', columns.text, (column) => column.notNull())
    .addColumn('hash', columns.text, (column) => column.notNull().unique())
    .addColumn('masked', columns.text, (column) => column.notNull())
    .addColumn('created_at', columns.bigint, (column) => column.notNull())
    .addForeignKeyConstraint(
      'private_location_keys_location',
      ['account_id', 'location_id'],
      'private_locations',
      ['account_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await index(db, 'private_location_keys', ['account_id', 'location_id']);
  await db.schema
    .createTable('private_location_agents')
    .addColumn('location_id', columns.text, (column) =>
      column.notNull().references('private_locations.id').onDelete('cascade'),
    )
    .addColumn('agent_id', columns.text, (column) => column.notNull())
    .addColumn('seen_at', columns.bigint, (column) => column.notNull())
    .addPrimaryKeyConstraint('private_location_agents_key', ['location_id', 'agent_id'])
    .execute();
}

export const resources: Migration = {
  name: '001-resources',
  async up(db, columns) {
    await accounts(db, columns);
    await checks(db, columns);
    await alerting(db, columns);
    await triggers(db, columns);
    await privateLocations(db, columns);
    await documents(db, columns, 'maintenance_windows', {
      key: 'number',
      extra: (table) =>
        table
          .addColumn('starts_at', columns.bigint, (column) => column.notNull())
          .addColumn('ends_at', columns.bigint, (column) => column.notNull()),
    });
    await documents(db, columns, 'snippets', { key: 'number' });
    await documents(db, columns, 'status_pages', { key: 'text', unique: 'service' });
    await documents(db, columns, 'status_page_services', { key: 'text' });
    await documents(db, columns, 'incidents', { key: 'text' });
    await documents(db, columns, 'dashboards', { key: 'text', unique: 'service' });
    await documents(db, columns, 'variables', { key: 'text', unique: 'account' });
  },
};
