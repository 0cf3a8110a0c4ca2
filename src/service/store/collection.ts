/** Implements a generic repository for resources that are read and written as a whole. Accounts see only their own. */
import { type Generated, type Insertable, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Slice, StoreContext } from './context.ts';
import { applySlice, cursorAfter, cursorOf } from './cursor.ts';
import { type Listing, type RowSize, readInChunks } from './listing.ts';
import type { DocumentRow } from './tables/resources.ts';

/** A stored resource. Instants are ms since the epoch. */
export interface StoredResource<Id, Body> {
  readonly id: Id;
  readonly accountId: string;
  readonly body: Body;
  readonly createdAt: number;
  /** Null if never changed. */
  readonly updatedAt: number | null;
}

export interface CollectionOptions<Body> {
  readonly table: string;
  /** Kind of the key: numbered by the database, or a UUID from the service. */
  readonly ids: 'number' | 'uuid';
  /** Returns the value that must be unique within the account, if any. */
  readonly uniqueKey?: (body: Body) => string | null | undefined;
  /** Returns additional columns from the body. */
  readonly columns?: (body: Body) => Readonly<Record<string, string | number | null>>;
}

export interface Collection<Id extends string | number, Body> {
  /** @throws StoreConflict if the unique value is taken. */
  create(accountId: string, body: Body): Promise<StoredResource<Id, Body>>;
  /** Returns a resource; undefined if the account has no such resource. */
  get(accountId: string, id: Id): Promise<StoredResource<Id, Body> | undefined>;
  /** Returns the resource with this unique value. */
  byKey(accountId: string, key: string): Promise<StoredResource<Id, Body> | undefined>;
  /** Returns the account's resources with these IDs, in any order. */
  byIds(accountId: string, ids: readonly Id[]): Promise<StoredResource<Id, Body>[]>;
  /** Replaces a resource; undefined if the account has no such resource. @throws StoreConflict if the unique value is taken. */
  replace(accountId: string, id: Id, body: Body): Promise<StoredResource<Id, Body> | undefined>;
  /** Reads, changes and writes in one transaction; undefined if the account has no such resource. */
  change(
    accountId: string,
    id: Id,
    change: (body: Body) => Body,
  ): Promise<StoredResource<Id, Body> | undefined>;
  /** Deletes a resource; false if it does not exist. @throws StoreConflict if it is referenced. */
  delete(accountId: string, id: Id): Promise<boolean>;
  /** Returns a slice of the resources, newest first. */
  list(accountId: string, slice?: Slice): Promise<StoredResource<Id, Body>[]>;
  /** Lists a slice of the resources, newest first, read in chunks. */
  listing(accountId: string, slice: Slice): Promise<Listing<StoredResource<Id, Body>>>;
  /** Lists a page after a cursor, newest first. @throws UnknownCursor */
  page(
    accountId: string,
    part: { limit: number; after?: string | undefined },
  ): Promise<Listing<StoredResource<Id, Body>>>;
  count(accountId: string): Promise<number>;
}

/** The columns that all these tables share. */
type Row = DocumentRow<Generated<string | number>>;
interface Tables {
  documents: Row;
}

/** Types a table name as `documents`, whose columns all these tables have. */
function asDocuments(table: string): 'documents' {
  return table as 'documents';
}

export function resourceFrom<Id extends string | number, Body>(
  row: Selectable<Row>,
): StoredResource<Id, Body> {
  return {
    id: row.id as Id,
    accountId: row.account_id,
    body: JSON.parse(row.body) as Body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Returns a `like` pattern for texts that contain `text`. `%` and `_` are escaped with a backslash. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
/** Returns a condition: the JSON of a resource contains a text. SQLite ignores case. */
export const bodyContains = (text: string) => sql<SqlBool>`body like ${likePattern(text)} escape '\\'`;

/** Returns whether an ID fits the key column: Postgres rejects numbers that are too large. */
export const isValidId = (id: string | number): boolean => typeof id === 'string' || Number.isSafeInteger(id);

export function collection<Id extends string | number, Body>(
  context: StoreContext,
  options: CollectionOptions<Body>,
): Collection<Id, Body> {
  const table = asDocuments(options.table);
  const dbOf = ({ db }: StoreContext) => db as unknown as Kysely<Tables>;
  const db = dbOf(context);
  const toResource = (row: Selectable<Row> | undefined) => (row ? resourceFrom<Id, Body>(row) : undefined);
  const columnsOf = (body: Body) => ({
    unique_key: options.uniqueKey?.(body) ?? null,
    body: JSON.stringify(body),
    ...options.columns?.(body),
  });
  const owned = (accountId: string) => db.selectFrom(table).selectAll().where('account_id', '=', accountId);
  const newestFirst = (accountId: string) =>
    owned(accountId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const selectSizes = (accountId: string) =>
    newestFirst(accountId)
      .clearSelect()
      .select(['id', 'created_at', sql<number>`octet_length(body)`.as('bytes')]);
  const read = (accountId: string, sizes: readonly RowSize<string | number>[]) =>
    readInChunks(sizes, async (ids) => {
      const rows = await newestFirst(accountId).where('id', 'in', ids).execute();
      return rows.map((row) => resourceFrom<Id, Body>(row));
    });

  /** `alone` locks the row until the transaction ends. SQLite has a single writer and needs no lock. */
  async function get(accountId: string, id: Id, tx = context, lock = false) {
    if (!isValidId(id)) return undefined;
    const all = dbOf(tx).selectFrom(table).selectAll().where('account_id', '=', accountId);
    const one = all.where('id', '=', id);
    const query = lock && context.dialect === 'postgres' ? one.forUpdate() : one;
    return toResource(await query.executeTakeFirst());
  }
  async function replace(accountId: string, id: Id, body: Body, tx = context) {
    if (!isValidId(id)) return undefined;
    const query = dbOf(tx)
      .updateTable(table)
      .set({ ...columnsOf(body), updated_at: context.clock.now() })
      .where('account_id', '=', accountId)
      .where('id', '=', id);
    return toResource(await query.returningAll().executeTakeFirst());
  }

  return {
    async create(accountId, body) {
      const row: Insertable<Row> = {
        ...(options.ids === 'uuid' ? { id: context.random.uuid() } : {}),
        account_id: accountId,
        ...columnsOf(body),
        created_at: context.clock.now(),
        updated_at: null,
      };
      return resourceFrom(await db.insertInto(table).values(row).returningAll().executeTakeFirstOrThrow());
    },
    get: (accountId, id) => get(accountId, id),
    async byKey(accountId, key) {
      return toResource(await owned(accountId).where('unique_key', '=', key).executeTakeFirst());
    },
    async byIds(accountId, ids) {
      const validIds = ids.filter(isValidId);
      if (validIds.length === 0) return [];
      const rows = await owned(accountId).where('id', 'in', validIds).execute();
      return rows.map((row) => resourceFrom(row));
    },
    replace: (accountId, id, body) => replace(accountId, id, body),
    change: (accountId, id, change) =>
      context.atomically(async (tx) => {
        const before = await get(accountId, id, tx, true);
        return before && replace(accountId, id, change(before.body), tx);
      }),
    async delete(accountId, id) {
      if (!isValidId(id)) return false;
      const query = db.deleteFrom(table).where('account_id', '=', accountId).where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    async list(accountId, slice = {}) {
      const rows = await applySlice(newestFirst(accountId), slice).execute();
      return rows.map((row) => resourceFrom(row));
    },
    async listing(accountId, slice) {
      const sizes = await applySlice(selectSizes(accountId), slice).execute();
      return { length: sizes.length, nextId: null, chunks: read(accountId, sizes) };
    },
    async page(accountId, { limit, after }) {
      const query = selectSizes(accountId).limit(limit + 1);
      const sizes = await (after === undefined
        ? query
        : query.where(cursorAfter(after, options.ids))
      ).execute();
      const rows = sizes.slice(0, limit);
      return { length: rows.length, nextId: cursorOf(sizes, limit), chunks: read(accountId, rows) };
    },
    async count(accountId) {
      const query = db.selectFrom(table).select((to) => to.fn.countAll<number>().as('count'));
      return (await query.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
  };
}
