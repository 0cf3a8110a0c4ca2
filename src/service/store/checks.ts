/** Stores checks: their fields as a document, and columns for schedules and lists. */
import { type Selectable, sql } from 'kysely';
import type { CHECK_TYPE_ENDPOINTS } from '../../contract/generated/check-type-endpoints.js';
import type { BodyOf } from '../../contract/index.ts';
import { checkDependencies } from './check-dependencies.ts';
import {
  backfillLists,
  type CheckFilter,
  type CheckStatus,
  countListed,
  idsByTags,
  selectListedIds,
  type TagGroups,
} from './check-lists.ts';
import type { StoreContext } from './context.ts';
import { bodyContains } from './documents.ts';
import { type Listing, readInChunks, rowsOf } from './lists.ts';
import { prepareSql, prepareStatement } from './prepared-statements.ts';
import type { ResourceTables } from './tables/resources.ts';

/** All fields that the API accepts, by type, except alertChannelSubscriptions, which have their own table. */
export type CheckBodies = {
  [T in keyof typeof CHECK_TYPE_ENDPOINTS]: BodyOf<(typeof CHECK_TYPE_ENDPOINTS)[T]['create']>;
};
export type ApiCheckBody = CheckBodies['API'];

/** The fields that are read from bodies of any type; types without a field never have it. */
export type CommonBody = Pick<
  CheckBodies['HEARTBEAT'],
  Exclude<keyof CheckBodies['HEARTBEAT'], 'heartbeat'>
> &
  Partial<
    Pick<
      CheckBodies['API'],
      | 'locations'
      | 'privateLocations'
      | 'runParallel'
      | 'retryStrategy'
      | 'doubleCheck'
      | 'runtimeId'
      | 'environmentVariables'
      | 'frequencyOffset'
    >
  > & { readonly frequency?: number };

/** The body of a check with its type. */
export type TypedCheckBody = {
  readonly [T in keyof CheckBodies]: { readonly type: T; readonly body: CheckBodies[T] & CommonBody };
}[keyof CheckBodies];

/** A stored check. Instants are ms since the epoch. */
export type CheckRecord = TypedCheckBody & {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly activated: boolean;
  readonly muted: boolean;
  readonly groupId: number | null;
  /** Minutes between two runs; 0 for every `frequencyOffset` seconds. */
  readonly frequency: number;
  readonly frequencyOffset: number | null;
  /** The next tick; null if not scheduled. */
  readonly nextRunAt: number | null;
  /** Index of the next location if locations alternate. */
  readonly locationCursor: number;
  /** The verdict of its last finished session; null if none yet. */
  readonly status: CheckStatus | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
};

/** The schedule of a check when it is written. */
export interface Scheduling {
  readonly nextRunAt?: number | null | undefined;
  /** Default: the value of the body, or else the stored one. */
  readonly frequencyOffset?: number | null | undefined;
}

const DEFAULT_FREQUENCY_MINUTES = 10;

type Row = Selectable<ResourceTables['checks']>;

export function checkFrom(row: Row): CheckRecord {
  return {
    type: row.type,
    body: JSON.parse(row.body),
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    activated: row.activated === 1,
    muted: row.muted === 1,
    groupId: row.group_id,
    frequency: row.frequency,
    frequencyOffset: row.frequency_offset,
    nextRunAt: row.next_run_at,
    locationCursor: row.location_cursor,
    status: row.status as CheckStatus | null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  } as CheckRecord;
}

function columnsOf({ type, body }: TypedCheckBody, { nextRunAt, frequencyOffset }: Scheduling) {
  const offset = frequencyOffset ?? ('frequencyOffset' in body ? body.frequencyOffset : undefined);
  return {
    type,
    name: body.name,
    name_folded: body.name.toLowerCase(),
    activated: body.activated === false ? 0 : 1,
    muted: body.muted === true ? 1 : 0,
    group_id: body.groupId ?? null,
    frequency: body.frequency ?? DEFAULT_FREQUENCY_MINUTES,
    body: JSON.stringify(body),
    ...(nextRunAt === undefined ? {} : { next_run_at: nextRunAt }),
    ...(offset === undefined ? {} : { frequency_offset: offset }),
  };
}

/** Writes the rows by which lists, triggers and dependent checks find a check. */
async function writeListing(
  context: StoreContext,
  row: Row,
  { tags = [], dependsOn }: CommonBody,
): Promise<void> {
  const { db } = context;
  const { id, account_id, type, name_folded, created_at } = row;
  await db
    .insertInto('check_listing')
    .values({ check_id: id, account_id, type, name_folded, created_at })
    .onConflict((conflict) => conflict.column('check_id').doUpdateSet({ type, name_folded }))
    .execute();
  await db.deleteFrom('check_tags').where('check_id', '=', id).execute();
  const rows = [...new Set(tags)].map((tag) => ({ check_id: id, account_id, tag, created_at }));
  if (rows.length > 0) await db.insertInto('check_tags').values(rows).execute();
  await checkDependencies(context).set(id, dependsOn ?? []);
}

type Verdict = { readonly id: string; readonly status: CheckStatus };

const valuesOf = (rows: readonly Verdict[]) =>
  sql.join(rows.map(({ id, status }) => sql`(${id}, ${status})`));
const isChanged = sql`(checks.status is null or checks.status <> said.status)`;
// The appended empty text stops SQLite from searching a long list for each check (see the schedule's statements).
const setStatusesOnSqlite = prepareSql(
  (rows: readonly Verdict[]) => sql`with said (id, status) as (values ${valuesOf(rows)})
    update checks set status = said.status from said where checks.id = said.id || '' and ${isChanged}`,
);
// Rows are locked in the order of their IDs to avoid deadlocks.
const setStatusesOnPostgres = prepareSql(
  (
    rows: readonly Verdict[],
  ) => sql`with said (id, status) as (values ${valuesOf(rows)}), changed as materialized (
      select checks.id, said.status from said join checks on checks.id = said.id where ${isChanged}
      order by checks.id for no key update of checks
    )
    update checks set status = changed.status from changed where checks.id = changed.id`,
);

const ownedById = prepareStatement((db, accountId: string, id: string) =>
  db.selectFrom('checks').selectAll().where('account_id', '=', accountId).where('id', '=', id),
);

/** Columns for lists of all checks of an account. `bytes`: the size of the body. */
export interface CheckHead extends Pick<CheckRecord, 'id' | 'name' | 'status' | 'createdAt'> {
  readonly bytes: number;
}

/** Number of checks of an account that are read at once: each step must be short, because it blocks the service. */
const WALK_CHECKS = 16;

const headsAfter = prepareSql(
  (accountId: string, createdAt: number, id: string) => sql<CheckHead>`
  select checks.id, checks.name, checks.status, listed.created_at as "createdAt", octet_length(checks.body) as bytes
  from (
    select check_id, created_at from check_listing
    where account_id = ${accountId} and (created_at, check_id) < (${createdAt}, ${id})
    order by created_at desc, check_id desc limit ${sql.lit(WALK_CHECKS)}
  ) as listed
  join checks on checks.id = listed.check_id
  order by listed.created_at desc, listed.check_id desc`,
);

export function checks(context: StoreContext) {
  const { db, dialect, clock, random } = context;
  const owned = (accountId: string) =>
    db.selectFrom('checks').selectAll().where('account_id', '=', accountId);
  const newestFirst = (accountId: string) =>
    owned(accountId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const readNewestFirst = (accountId: string) => async (ids: readonly string[]) =>
    (await newestFirst(accountId).where('id', 'in', ids).execute()).map(checkFrom);

  return {
    /** @throws StoreConflict (`reference`) if the account has no such group. */
    create: (accountId: string, check: TypedCheckBody, scheduling: Scheduling = {}): Promise<CheckRecord> =>
      context.atomically(async (tx) => {
        const values = {
          id: random.uuid(),
          account_id: accountId,
          ...columnsOf(check, scheduling),
          created_at: clock.now(),
          updated_at: null,
        };
        const query = tx.db.insertInto('checks').values(values).returningAll();
        const row = await query.executeTakeFirstOrThrow();
        await writeListing(tx, row, check.body);
        return checkFrom(row);
      }),
    async get(accountId: string, id: string): Promise<CheckRecord | undefined> {
      const [row] = await ownedById(context, accountId, id);
      return row && checkFrom(row);
    },
    /** Returns the account's checks with these IDs, in any order. */
    async byIds(accountId: string, ids: readonly string[]): Promise<CheckRecord[]> {
      if (ids.length === 0) return [];
      return (await owned(accountId).where('id', 'in', ids).execute()).map(checkFrom);
    },
    /** Returns the checks of a group in run order: by groupOrder, checks without one last, then oldest first. */
    async byGroup(accountId: string, groupId: number): Promise<CheckRecord[]> {
      const query = owned(accountId).where('group_id', '=', groupId);
      const records = (await query.orderBy('created_at').orderBy('id').execute()).map(checkFrom);
      const orderOf = ({ body }: CheckRecord) => body.groupOrder ?? Number.MAX_VALUE;
      return records.sort((one, other) => orderOf(one) - orderOf(other));
    },
    /**
     * Replaces the fields of a check, and `nextRunAt` if given; undefined if the account has no such check.
     * @throws StoreConflict (`reference`) if the account has no such group.
     */
    replace: (
      accountId: string,
      id: string,
      check: TypedCheckBody,
      scheduling: Scheduling = {},
    ): Promise<CheckRecord | undefined> =>
      context.atomically(async (tx) => {
        const query = tx.db
          .updateTable('checks')
          .set({ ...columnsOf(check, scheduling), updated_at: clock.now() })
          .where('account_id', '=', accountId)
          .where('id', '=', id);
        const row = await query.returningAll().executeTakeFirst();
        if (row === undefined) return undefined;
        await writeListing(tx, row, check.body);
        return checkFrom(row);
      }),
    /** Locks the check, and writes of rows that reference it, until the transaction ends. */
    async lock(accountId: string, id: string): Promise<void> {
      const query = db
        .selectFrom('checks')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', id);
      if (dialect === 'postgres') await query.forUpdate().execute();
    },
    /**
     * Deletes a check with its tags, trigger, subscriptions and results, and removes it from the dependencies of others;
     * false if it does not exist.
     */
    delete: (accountId: string, id: string): Promise<boolean> =>
      context.atomically(async (tx) => {
        for (const dependent of await checkDependencies(tx).dependents(id)) {
          const [row] = await ownedById(tx, accountId, dependent);
          if (row === undefined) continue;
          const { dependsOn = [], ...body } = JSON.parse(row.body) as CommonBody;
          const detached = { ...body, dependsOn: dependsOn.filter((other) => other !== id) };
          const set = { body: JSON.stringify(detached), updated_at: clock.now() };
          await tx.db.updateTable('checks').set(set).where('id', '=', dependent).execute();
        }
        const query = tx.db.deleteFrom('checks').where('account_id', '=', accountId).where('id', '=', id);
        return (await query.executeTakeFirst()).numDeletedRows > 0n;
      }),
    /** Returns the checks whose JSON contains a text, oldest first. */
    async findByText(accountId: string, text: string): Promise<CheckRecord[]> {
      const query = owned(accountId).where(bodyContains(text));
      return (await query.orderBy('created_at').orderBy('id').execute()).map(checkFrom);
    },
    /** Returns the checks that pass the filter, newest first. */
    async list(accountId: string, filter: CheckFilter = {}): Promise<CheckRecord[]> {
      return rowsOf(await this.listing(accountId, filter));
    },
    /** Reads the heads of all checks of an account, newest first, a few at a time. */
    async *walkHeads(accountId: string): AsyncGenerator<CheckHead[]> {
      let [createdAt, id] = [Number.MAX_SAFE_INTEGER, ''];
      for (;;) {
        const heads = await headsAfter(context, accountId, createdAt, id);
        const last = heads.at(-1);
        if (last === undefined) return;
        yield heads;
        ({ createdAt, id } = last);
      }
    },
    /** Reads all checks of an account, newest first, a few at a time. */
    async *walk(accountId: string): AsyncGenerator<CheckRecord[]> {
      for await (const heads of this.walkHeads(accountId))
        yield* readInChunks(heads, readNewestFirst(accountId));
    },
    async listing(accountId: string, filter: CheckFilter): Promise<Listing<CheckRecord>> {
      const selectSizes = newestFirst(accountId)
        .clearSelect()
        .select(['id', sql<number>`octet_length(body)`.as('bytes')]);
      const sizes = await selectSizes
        .where('id', 'in', selectListedIds(dialect, accountId, filter))
        .execute();
      const chunks = readInChunks(sizes, readNewestFirst(accountId));
      return { length: sizes.length, nextId: null, chunks };
    },
    /** Returns the checks whose tags, with those of their group, match {@link TagGroups}. */
    async tagged(accountId: string, groups: TagGroups): Promise<CheckRecord[]> {
      if (groups.length === 0) return [];
      const ids = await idsByTags(db, accountId, groups);
      return (await owned(accountId).where('id', 'in', ids).execute()).map(checkFrom);
    },
    /** Counts the checks that pass the filter, up to `MAX_COUNTED` + 1. */
    async count(accountId: string, filter: CheckFilter = {}): Promise<number> {
      const { rows } = await countListed(dialect, accountId, filter).execute(db);
      return rows[0]?.count ?? 0;
    },
    /** Sets the verdicts of the last sessions of checks. Does not write unchanged ones. */
    async setStatuses(status: ReadonlyMap<string, CheckStatus>): Promise<void> {
      if (status.size === 0) return;
      const rows = [...status].map(([id, verdict]) => ({ id, status: verdict }));
      await (dialect === 'postgres' ? setStatusesOnPostgres : setStatusesOnSqlite)(context, rows);
    },
    /** Call it at startup on a shared database: a service of an older version may have written checks. */
    backfillLists: () => backfillLists(db),
    setStatus(ids: readonly string[], status: CheckStatus): Promise<void> {
      return this.setStatuses(new Map(ids.map((id) => [id, status])));
    },
  };
}
