/** Creates the tables of accounts, keys, checks, groups and other resources that users configure. */
import { type Kysely, sql } from 'kysely';
import {
  type ColumnDefinitions,
  type Columns,
  createIndex,
  type Migration,
  referenceOwned,
  type Table,
  table,
} from './migrate.ts';

export const OWNED_BY_ACCOUNT = { account_id: 'text not null references accounts.id' } as const;
const TIMESTAMPS = { created_at: 'bigint not null', updated_at: 'bigint' } as const;
/** Of these columns exactly one is set; see {@link addTarget}. */
const TARGET = { check_id: 'text', group_id: 'bigint' } as const;

type Key = 'text primary key' | 'numbered key';

/** Returns a table with a unique pair (account, key): foreign keys include the account, so that no row can reference another account's. */
const resourceTable = (
  db: Kysely<unknown>,
  columns: Columns,
  name: string,
  key: Key,
  more: ColumnDefinitions,
): Table =>
  table(db, columns, name, { id: key, ...OWNED_BY_ACCOUNT, ...more }).addUniqueConstraint(`${name}_owned`, [
    'account_id',
    'id',
  ]);

/** Creates a table of resources that are stored as a whole. `unique`: the columns in which `unique_key` must be unique. */
async function createDocuments(
  db: Kysely<unknown>,
  columns: Columns,
  name: string,
  key: Key,
  unique?: 'account_id, unique_key' | 'unique_key',
  more: ColumnDefinitions = {},
): Promise<void> {
  await resourceTable(db, columns, name, key, {
    unique_key: 'text',
    body: 'text not null',
    ...more,
    ...TIMESTAMPS,
  }).execute();
  await indexResource(db, name, 'account_id, created_at, id');
  if (unique !== undefined) await indexResource(db, name, unique, true);
}

const indexResource = (db: Kysely<unknown>, on: string, columns: string, isUnique = false) =>
  createIndex(db, `${on}_${columns.replaceAll(', ', '_')}`, on, columns, isUnique);

async function createAccounts(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await table(db, columns, 'accounts', {
    id: 'text primary key',
    name: 'text not null',
    alert_settings: 'text',
    created_at: 'bigint not null',
  }).execute();
  await table(db, columns, 'api_keys', {
    id: 'text primary key',
    ...OWNED_BY_ACCOUNT,
    name: 'text not null',
    hash: 'text not null unique',
    masked: 'text not null',
    created_at: 'bigint not null',
    last_used_at: 'bigint',
  }).execute();
  await indexResource(db, 'api_keys', 'account_id');
}

async function createChecks(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await resourceTable(db, columns, 'check_groups', 'numbered key', {
    activated: 'integer not null',
    body: 'text not null',
    ...TIMESTAMPS,
  }).execute();
  await indexResource(db, 'check_groups', 'account_id, created_at, id');
  await resourceTable(db, columns, 'checks', 'text primary key', {
    type: 'text not null',
    name: 'text not null',
    name_folded: 'text not null',
    activated: 'integer not null',
    muted: 'integer not null',
    group_id: 'bigint',
    frequency: 'integer not null',
    frequency_offset: 'integer',
    next_run_at: 'bigint',
    location_cursor: 'integer not null default 0',
    status: 'text',
    body: 'text not null',
    ...TIMESTAMPS,
  })
    .addForeignKeyConstraint('checks_group', ['account_id', 'group_id'], 'check_groups', ['account_id', 'id'])
    .execute();
  await indexResource(db, 'checks', 'account_id, created_at, id');
  await indexResource(db, 'checks', 'activated, next_run_at');
  await indexResource(db, 'checks', 'account_id, group_id');
  await table(db, columns, 'check_tags', {
    check_id: 'text not null references checks.id',
    tag: 'text not null',
  })
    .addPrimaryKeyConstraint('check_tags_key', ['check_id', 'tag'])
    .execute();
  await indexResource(db, 'check_tags', 'tag, check_id');
}

/** Adds the constraints of {@link TARGET}. */
function addTarget(built: Table, name: string): Table {
  const checked = built.addCheckConstraint(`${name}_target`, sql`(check_id is null) <> (group_id is null)`);
  const ofCheck = referenceOwned(checked, `${name}_check`, 'check_id', 'checks');
  return referenceOwned(ofCheck, `${name}_group`, 'group_id', 'check_groups');
}

async function createAlerting(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await createDocuments(db, columns, 'alert_channels', 'numbered key');
  const name = 'alert_subscriptions';
  const subscriptions = table(db, columns, name, {
    ...OWNED_BY_ACCOUNT,
    channel_id: 'bigint not null',
    activated: 'integer not null',
    ...TARGET,
  });
  const ofChannel = referenceOwned(subscriptions, `${name}_channel`, 'channel_id', 'alert_channels');
  await addTarget(ofChannel, name).execute();
  await indexResource(db, name, 'channel_id, check_id', true);
  await indexResource(db, name, 'channel_id, group_id', true);
  await indexResource(db, name, 'account_id, check_id');
  await indexResource(db, name, 'account_id, group_id');
}

async function createTriggers(db: Kysely<unknown>, columns: Columns): Promise<void> {
  const triggers = resourceTable(db, columns, 'triggers', 'numbered key', {
    token: 'text not null unique',
    called_at: 'bigint',
    ...TARGET,
    ...TIMESTAMPS,
  });
  await addTarget(triggers, 'triggers').execute();
  await indexResource(db, 'triggers', 'check_id', true);
  await indexResource(db, 'triggers', 'group_id', true);
}

async function createPrivateLocations(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await createDocuments(db, columns, 'private_locations', 'text primary key', 'account_id, unique_key');
  const keys = resourceTable(db, columns, 'private_location_keys', 'text primary key', {
    location_id: 'text not null',
    hash: 'text not null unique',
    masked: 'text not null',
    created_at: 'bigint not null',
  });
  await referenceOwned(keys, 'private_location_keys_location', 'location_id', 'private_locations').execute();
  await indexResource(db, 'private_location_keys', 'account_id, location_id');
  await table(db, columns, 'private_location_agents', {
    location_id: 'text not null references private_locations.id',
    agent_id: 'text not null',
    seen_at: 'bigint not null',
  })
    .addPrimaryKeyConstraint('private_location_agents_key', ['location_id', 'agent_id'])
    .execute();
}

export const resources: Migration = {
  name: '001-resources',
  async up(db, columns) {
    await createAccounts(db, columns);
    await createChecks(db, columns);
    await createAlerting(db, columns);
    await createTriggers(db, columns);
    await createPrivateLocations(db, columns);
    await createDocuments(db, columns, 'maintenance_windows', 'numbered key', undefined, {
      starts_at: 'bigint not null',
      ends_at: 'bigint not null',
    });
    await createDocuments(db, columns, 'snippets', 'numbered key');
    await createDocuments(db, columns, 'status_pages', 'text primary key', 'unique_key');
    await createDocuments(db, columns, 'status_page_services', 'text primary key');
    await createDocuments(db, columns, 'incidents', 'text primary key');
    await createDocuments(db, columns, 'dashboards', 'text primary key', 'unique_key');
    await createDocuments(db, columns, 'variables', 'text primary key', 'account_id, unique_key');
  },
};
