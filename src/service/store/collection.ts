/** One repository for every resource that is read and written as a whole. An account sees only its own. */
import { type Generated, type Insertable, type Kysely, type Selectable, type SqlBool, sql } from 'kysely';
import type { Slice, StoreContext } from './context.ts';
import { cursorAfter, cursorOf, sliced } from './cursor.ts';
import { type Found, inPortions, type Listing } from './listing.ts';
import type { DocumentRow } from './tables/resources.ts';

/** A resource as the store holds it. Instants are ms since the epoch. */
export interface Stored<Id, Body> {
  readonly id: Id;
  readonly accountId: string;
  readonly body: Body;
  readonly createdAt: number;
  /** Null: never changed. */
  readonly updatedAt: number | null;
}

export interface CollectionOptions<Body> {
  readonly table: string;
  /** Who makes the keys: the database counts, or we take a UUID. */
  readonly ids: 'number' | 'uuid';
  /** The field that two resources must not share, where there is one. */
  readonly uniqueKey?: (body: Body) => string | null | undefined;
  /** Columns beside the common ones, read off the body. */
  readonly columns?: (body: Body) => Readonly<Record<string, string | number | null>>;
}

export interface Collection<Id extends string | number, Body> {
  /** @throws StoreConflict where the unique field is taken. */
  create(accountId: string, body: Body): Promise<Stored<Id, Body>>;
  /** Undefined where the account has no such resource. */
  get(accountId: string, id: Id): Promise<Stored<Id, Body> | undefined>;
  /** The one whose unique field has this value. */
  byKey(accountId: string, key: string): Promise<Stored<Id, Body> | undefined>;
  /** Those of the ids that the account has, in no certain order. */
  byIds(accountId: string, ids: readonly Id[]): Promise<Stored<Id, Body>[]>;
  /** Undefined where the account has no such resource. @throws StoreConflict where the unique field is taken. */
  replace(accountId: string, id: Id, body: Body): Promise<Stored<Id, Body> | undefined>;
  /** Reads, changes and writes in one transaction. Undefined where the account has no such resource. */
  change(accountId: string, id: Id, change: (body: Body) => Body): Promise<Stored<Id, Body> | undefined>;
  /** Whether there was something to delete. @throws StoreConflict where others still name it. */
  delete(accountId: string, id: Id): Promise<boolean>;
  /** The newest first. */
  list(accountId: string, slice?: Slice): Promise<Stored<Id, Body>[]>;
  /** The same, read in portions. */
  listing(accountId: string, slice: Slice): Promise<Listing<Stored<Id, Body>>>;
  /** The newest first, after a cursor. @throws UnknownCursor */
  page(
    accountId: string,
    part: { limit: number; after?: string | undefined },
  ): Promise<Listing<Stored<Id, Body>>>;
  count(accountId: string): Promise<number>;
}

/** How all these tables look to the one repository. */
type Row = DocumentRow<Generated<string | number>>;
interface Tables {
  documents: Row;
}

/** The table under its real name; all of them have the columns of `documents`. */
function named(table: string): 'documents' {
  return table as 'documents';
}

export function storedFrom<Id extends string | number, Body>(row: Selectable<Row>): Stored<Id, Body> {
  return {
    id: row.id as Id,
    accountId: row.account_id,
    body: JSON.parse(row.body) as Body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A pattern of `like`, with a backslash as its escape: `%` and `_` of the text mean themselves. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
/** Whether a resource's fields contain a text as JSON has it; SQLite does not tell `a` from `A`. */
export const mentions = (text: string) => sql<SqlBool>`body like ${containing(text)} escape '\\'`;

/** Whether a key can stand in the key's column at all: Postgres refuses a number that is too large for it. */
export const isKey = (id: string | number): boolean => typeof id === 'string' || Number.isSafeInteger(id);

export function collection<Id extends string | number, Body>(
  context: StoreContext,
  options: CollectionOptions<Body>,
): Collection<Id, Body> {
  const table = named(options.table);
  const on = ({ db }: StoreContext) => db as unknown as Kysely<Tables>;
  const db = on(context);
  const stored = (row: Selectable<Row> | undefined) => (row ? storedFrom<Id, Body>(row) : undefined);
  const written = (body: Body) => ({
    unique_key: options.uniqueKey?.(body) ?? null,
    body: JSON.stringify(body),
    ...options.columns?.(body),
  });
  const owned = (accountId: string) => db.selectFrom(table).selectAll().where('account_id', '=', accountId);
  const newestFirst = (accountId: string) =>
    owned(accountId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  const sized = (accountId: string) =>
    newestFirst(accountId)
      .clearSelect()
      .select(['id', 'created_at', sql<number>`octet_length(body)`.as('bytes')]);
  const read = (accountId: string, found: readonly Found<string | number>[]) =>
    inPortions(found, async (ids) => {
      const rows = await newestFirst(accountId).where('id', 'in', ids).execute();
      return rows.map((row) => storedFrom<Id, Body>(row));
    });

  /** `alone`: nobody else changes it before the end of the transaction; where the database has one writer nobody does anyway. */
  async function get(accountId: string, id: Id, within = context, alone = false) {
    if (!isKey(id)) return undefined;
    const all = on(within).selectFrom(table).selectAll().where('account_id', '=', accountId);
    const one = all.where('id', '=', id);
    const query = alone && context.dialect === 'postgres' ? one.forUpdate() : one;
    return stored(await query.executeTakeFirst());
  }
  async function replace(accountId: string, id: Id, body: Body, within = context) {
    if (!isKey(id)) return undefined;
    const query = on(within)
      .updateTable(table)
      .set({ ...written(body), updated_at: context.clock.now() })
      .where('account_id', '=', accountId)
      .where('id', '=', id);
    return stored(await query.returningAll().executeTakeFirst());
  }

  return {
    async create(accountId, body) {
      const row: Insertable<Row> = {
        ...(options.ids === 'uuid' ? { id: context.random.uuid() } : {}),
        account_id: accountId,
        ...written(body),
        created_at: context.clock.now(),
        updated_at: null,
      };
      return storedFrom(await db.insertInto(table).values(row).returningAll().executeTakeFirstOrThrow());
    },
    get: (accountId, id) => get(accountId, id),
    async byKey(accountId, key) {
      return stored(await owned(accountId).where('unique_key', '=', key).executeTakeFirst());
    },
    async byIds(accountId, ids) {
      const known = ids.filter(isKey);
      if (known.length === 0) return [];
      const rows = await owned(accountId).where('id', 'in', known).execute();
      return rows.map((row) => storedFrom(row));
    },
    replace: (accountId, id, body) => replace(accountId, id, body),
    change: (accountId, id, change) =>
      context.atomically(async (within) => {
        const before = await get(accountId, id, within, true);
        return before && replace(accountId, id, change(before.body), within);
      }),
    async delete(accountId, id) {
      if (!isKey(id)) return false;
      const query = db.deleteFrom(table).where('account_id', '=', accountId).where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    async list(accountId, slice = {}) {
      const rows = await sliced(newestFirst(accountId), slice).execute();
      return rows.map((row) => storedFrom(row));
    },
    async listing(accountId, slice) {
      const found = await sliced(sized(accountId), slice).execute();
      return { length: found.length, nextId: null, portions: read(accountId, found) };
    },
    async page(accountId, { limit, after }) {
      const query = sized(accountId).limit(limit + 1);
      const found = await (after === undefined
        ? query
        : query.where(cursorAfter(after, options.ids))
      ).execute();
      const rows = found.slice(0, limit);
      return { length: rows.length, nextId: cursorOf(found, limit), portions: read(accountId, rows) };
    },
    async count(accountId) {
      const query = db.selectFrom(table).select((to) => to.fn.countAll<number>().as('count'));
      return (await query.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
  };
}
