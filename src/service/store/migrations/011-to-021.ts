/** Changes the tables of earlier versions: lean indexes, private pages, tags, outbox turns and narrow listing rows. */
import { domainToASCII } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { addColumns, type Columns, createIndex, type Migration, table } from './migrate.ts';

/** Adds the setting of accounts to detect secrets in the output of scripts. */
const secretDetection: Migration = {
  name: '011-secret-detection',
  up: (db, columns) => addColumns(db, columns, 'accounts', { detects_secrets: 'bigint not null default 0' }),
};

/** Allows sessions and results of test suites, which have no stored check. */
const suitesOfTests: Migration = {
  name: '012-suites-of-tests',
  async up(db, { dropNotNull }) {
    await dropNotNull(db, 'check_sessions', 'check_id');
    await dropNotNull(db, 'results', 'check_id');
  },
};

/** The tables and columns of the indexes, which exclude rows whose first column is null. */
const INDEXES = [
  ['check_sessions', ['test_session_id']],
  ['check_sessions', ['batch_id', 'batch_place']],
  ['check_sessions', ['ends_by']],
  ['check_sessions', ['stopped_at']],
  ['results', ['test_session_id']],
] as const;

/** Makes indexes partial: most sessions have no test session, no batch and, soon, no deadline. */
const leanIndexes: Migration = {
  name: '013-lean-indexes',
  async up(db) {
    for (const [indexed, columns] of INDEXES) {
      const name = `${indexed}_by_${columns.join('_')}`;
      await db.schema.dropIndex(name).execute();
      const made = db.schema
        .createIndex(name)
        .on(indexed)
        .columns([...columns]);
      await made.where(columns[0], 'is not', null).execute();
    }
  },
};

/** Orders the unique index of ticks by time: new entries go to its end instead of one page per check. */
const ticksInOrder: Migration = {
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

/** Adds the key to subscribers of private pages: after a change of the key they get no more notifications. */
const subscribersKeys: Migration = {
  name: '015-subscribers-keys',
  async up(db, columns) {
    await addColumns(db, columns, 'page_subscribers', { key_hash: 'text' });
    await sql`update page_subscribers set key_hash = (select access.key_hash from status_page_access access
      where access.page_id = page_subscribers.page_id and access.is_private = 1)`.execute(db);
  },
};

/** Creates the table of past maintenance periods, whose sessions do not alert even after the window was changed. */
const maintenancePast: Migration = {
  name: '016-maintenance-past',
  async up(db, columns) {
    await table(db, columns, 'maintenance_past', {
      id: 'text primary key',
      account_id: 'text not null references accounts.id',
      starts_at: 'bigint not null',
      ends_at: 'bigint not null',
      effects: 'text not null',
    }).execute();
    await createIndex(db, 'maintenance_past_of_account', 'maintenance_past', 'account_id, ends_at');
  },
};

/** Adds unrecorded test sessions, which lists omit and which are deleted soon after their end. */
const unrecordedTests: Migration = {
  name: '017-unrecorded-tests',
  up: (db, columns) => addColumns(db, columns, 'test_sessions', { is_recorded: 'bigint not null default 1' }),
};

function canonical(kind: string, address: string): string {
  if (kind !== 'EMAIL') return address;
  const at = address.lastIndexOf('@') + 1;
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return local.normalize('NFC').toLowerCase() + (domainToASCII(domain) || domain.toLowerCase());
}

/** Merges subscriptions of one mailbox: keeps the oldest confirmed one, or else the oldest. */
async function mergeSpellings(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await addColumns(db, columns, 'page_subscribers', { canonical: 'text' });
  const rows = db as Kysely<{
    page_subscribers: {
      id: string;
      page_id: string;
      kind: string;
      address: string;
      canonical: string | null;
      confirmed_at: number | null;
    };
  }>;
  const seen = new Set<string>();
  const all = await rows
    .selectFrom('page_subscribers')
    .select(['id', 'page_id', 'kind', 'address', 'confirmed_at'])
    .orderBy('id')
    .execute();
  const confirmedFirst = [...all].sort(
    (one, other) => Number(one.confirmed_at === null) - Number(other.confirmed_at === null),
  );
  for (const { id, page_id, kind, address } of confirmedFirst) {
    const form = canonical(kind, address);
    const key = JSON.stringify([page_id, kind, form]);
    if (seen.has(key)) await rows.deleteFrom('page_subscribers').where('id', '=', id).execute();
    else await rows.updateTable('page_subscribers').set({ canonical: form }).where('id', '=', id).execute();
    seen.add(key);
  }
  await createIndex(db, 'page_subscribers_canonical', 'page_subscribers', 'page_id, kind, canonical', true);
}

/** Identifies subscribers by their canonical address, and creates the table of subscription requests. */
const subscriptionRequests: Migration = {
  name: '018-subscription-requests',
  async up(db, columns) {
    await mergeSpellings(db, columns);
    await table(db, columns, 'subscription_requests', {
      id: 'text primary key',
      page_id: 'text not null references status_pages.id',
      source: 'text not null',
      network: 'text not null',
      mailbox: 'text',
      asked_at: 'bigint not null',
    }).execute();
    for (const column of ['asked_at', 'source', 'mailbox', 'page_id'])
      await createIndex(db, `subscription_requests_${column}`, 'subscription_requests', column);
  },
};

const ROWS_AT_ONCE = 500;

type Tables = {
  check_groups: { id: number; account_id: string; body: string };
  check_group_tags: { group_id: number; account_id: string; tag: string };
};

async function tagGroups(db: Kysely<unknown>, columns: Columns): Promise<void> {
  await table(db, columns, 'check_group_tags', {
    group_id: 'bigint not null references check_groups.id',
    account_id: 'text not null',
    tag: 'text not null',
  })
    .addPrimaryKeyConstraint('check_group_tags_key', ['group_id', 'tag'])
    .execute();
  const tables = db as Kysely<Tables>;
  const groups = await tables.selectFrom('check_groups').select(['id', 'account_id', 'body']).execute();
  const rows = groups.flatMap(({ id, account_id, body }) => {
    const { tags } = JSON.parse(body) as { tags?: readonly string[] | null };
    return [...new Set(tags)].map((tag) => ({ group_id: id, account_id, tag }));
  });
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await tables
      .insertInto('check_group_tags')
      .values(rows.slice(from, from + ROWS_AT_ONCE))
      .execute();
}

/** Adds the account to tags of checks, and creates the table of group tags, which the checks of a group inherit. */
const tags: Migration = {
  name: '019-tags',
  async up(db, columns) {
    await addColumns(db, columns, 'check_tags', { account_id: 'text', created_at: 'bigint' });
    for (const column of ['account_id', 'created_at'] as const)
      await sql`update check_tags set ${sql.ref(column)} = (select ${sql.ref(`checks.${column}`)} from checks
        where checks.id = check_tags.check_id)`.execute(db);
    await db.schema.dropIndex('check_tags_tag_check_id').execute();
    await tagGroups(db, columns);
    // Lists by tag are sorted newest first.
    await createIndex(db, 'check_tags_by_tag', 'check_tags', 'account_id, tag, created_at, check_id');
    await createIndex(db, 'check_group_tags_by_tag', 'check_group_tags', 'account_id, tag, group_id');
  },
};

/** Marks the first open message of each lane, so that senders find it without reading the messages behind it. */
const outboxTurns: Migration = {
  name: '020-outbox-turns',
  async up(db, columns) {
    await addColumns(db, columns, 'outbox', {
      in_turn: 'integer not null default 1',
      bytes: 'integer not null default 0',
    });
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

/** Speeds up lists and clean-ups: adds narrow listing rows of checks, and partial indexes for rare rows. */
const reads: Migration = {
  name: '021-reads',
  async up(db, columns) {
    // The listing rows do not change with a tick, whereas each tick writes every index of `checks`.
    await table(db, columns, 'check_listing', {
      check_id: 'text primary key references checks.id',
      account_id: 'text not null',
      type: 'text not null',
      name_folded: 'text not null',
      created_at: 'bigint not null',
    }).execute();
    await sql`insert into check_listing (check_id, account_id, type, name_folded, created_at)
      select id, account_id, type, name_folded, created_at from checks`.execute(db);
    // Partial indexes by state: a claimed attempt is in fewer of them.
    for (const index of ['state_pool_not_before_id', 'state_claim_by', 'state_lease_until'])
      await db.schema.dropIndex(`runs_by_${index}`).execute();
    for (const made of [
      sql`create index runs_queued on runs (pool, not_before, id) where state = 'QUEUED'`,
      sql`create index runs_by_claim_by on runs (claim_by) where state = 'QUEUED'`,
      sql`create index runs_by_lease_until on runs (lease_until) where state = 'RUNNING'`,
      sql`create index check_listing_by_age on check_listing (account_id, created_at, check_id, name_folded)`,
      sql`create index check_listing_by_type on check_listing (account_id, type, created_at, check_id)`,
      sql`create index checks_by_status on checks (account_id, status, created_at, id)
        where status in ('failing', 'degraded')`,
      sql`create index check_sessions_by_status on check_sessions (account_id, status, started_at, id)
        where status in ('FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED')`,
      sql`create index check_sessions_of_check_by_status on check_sessions (check_id, status, started_at, id)
        where status in ('FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED')`,
      sql`create index test_sessions_unrecorded on test_sessions (stopped_at) where is_recorded = 0`,
      sql`create index page_subscribers_unconfirmed on page_subscribers (asked_at) where confirmed_at is null`,
      sql`create index page_subscribers_confirm_hash on page_subscribers (confirm_hash)
        where confirm_hash is not null`,
    ])
      await made.execute(db);
  },
};

export const MIGRATIONS_011_TO_021 = [
  secretDetection,
  suitesOfTests,
  leanIndexes,
  ticksInOrder,
  subscribersKeys,
  maintenancePast,
  unrecordedTests,
  subscriptionRequests,
  tags,
  outboxTurns,
  reads,
];
