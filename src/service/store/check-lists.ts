/** Builds the queries of check lists: over the narrow listing rows, one tag, or the few failing checks. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { likePattern } from './collection.ts';
import type { Slice } from './context.ts';
import type { Executor } from './tables.ts';
import { uuidRange } from './uuid-range.ts';

export type CheckStatus = 'passing' | 'failing' | 'degraded';

export interface CheckFilter extends Slice {
  /** Part of the name or prefix of the ID, ignoring case. */
  readonly search?: string | undefined;
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
  readonly status?: CheckStatus | undefined;
}

/** Counting stops after this many checks. */
export const MAX_COUNTED = 10_000;

/** The table that a list is read from in order: its index begins with the filtered columns. */
interface Source {
  readonly table: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
  readonly conditions: readonly RawBuilder<SqlBool>[];
  readonly isListing?: boolean;
}

function sourceOf(accountId: string, { tag, status }: CheckFilter): Source {
  const owned = sql<SqlBool>`source.account_id = ${accountId}`;
  if (tag !== undefined)
    return {
      table: sql`check_tags`,
      id: sql`source.check_id`,
      conditions: [owned, sql<SqlBool>`source.tag = ${tag}`],
    };
  if (status === 'failing' || status === 'degraded')
    return {
      table: sql`checks`,
      id: sql`source.id`,
      // SQLite uses the partial index only if the statement repeats its condition literally.
      conditions: [
        owned,
        sql<SqlBool>`source.status = ${status}`,
        sql<SqlBool>`source.status in ('failing', 'degraded')`,
      ],
    };
  return { table: sql`check_listing`, id: sql`source.check_id`, conditions: [owned], isListing: true };
}

function searchCondition(listing: RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  const ids = uuidRange(text);
  const named = sql<SqlBool>`${listing}.name_folded like ${likePattern(text.toLowerCase())} escape '\\'`;
  return ids === undefined
    ? named
    : sql<SqlBool>`(${named} or ${listing}.check_id between ${ids.first} and ${ids.last})`;
}

/** Returns the tables and conditions of a filter. SQLite keeps the written order of cross joins. */
function listQuery(accountId: string, filter: CheckFilter) {
  const { search, type, status } = filter;
  const source = sourceOf(accountId, filter);
  const tables = [sql`${source.table} as source`];
  const conditions = [...source.conditions];
  if (!source.isListing && (search !== undefined || type !== undefined)) {
    tables.push(sql`check_listing as listing`);
    conditions.push(sql<SqlBool>`listing.check_id = ${source.id}`);
  }
  const listing = source.isListing ? sql`source` : sql`listing`;
  if (type !== undefined) conditions.push(sql<SqlBool>`${listing}.type = ${type}`);
  if (search !== undefined) conditions.push(searchCondition(listing, search));
  if (status !== undefined) {
    tables.push(sql`checks as stated`);
    conditions.push(sql<SqlBool>`stated.id = ${source.id}`, sql<SqlBool>`stated.status = ${status}`);
  }
  return {
    id: source.id,
    from: sql`from ${sql.join(tables, sql` cross join `)} where ${sql.join(conditions, sql` and `)}`,
  };
}

/** Returns a subquery of the IDs of a slice of the list, newest first. */
export function selectListedIds(accountId: string, filter: CheckFilter) {
  const { id, from } = listQuery(accountId, filter);
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0 } = filter;
  return sql<string>`(select id from (select ${id} as id ${from}
    order by source.created_at desc, ${id} desc limit ${limit} offset ${offset}) as listed)`;
}

/** Returns the query that counts the checks of a list, up to `MOST_COUNTED` + 1. */
export function countListed(accountId: string, filter: CheckFilter) {
  const { from } = listQuery(accountId, filter);
  return sql<{
    count: number;
  }>`select count(*) as count from (select 1 as one ${from} limit ${MAX_COUNTED + 1}) as listed`;
}

/**
 * Writes the missing listing and tag rows of checks that an older version of the service wrote: during an upgrade it may still
 * run on the same Postgres database.
 */
export async function backfillLists(db: Executor): Promise<void> {
  for (const completing of [
    sql`insert into check_listing (check_id, account_id, type, name_folded, created_at)
      select id, account_id, type, name_folded, created_at from checks
      where not exists (select 1 from check_listing where check_listing.check_id = checks.id)
      on conflict (check_id) do nothing`,
    sql`update check_listing set name_folded = checks.name_folded from checks
      where checks.id = check_listing.check_id and checks.name_folded <> check_listing.name_folded`,
    sql`update check_tags set account_id = checks.account_id, created_at = checks.created_at from checks
      where checks.id = check_tags.check_id and check_tags.account_id is null`,
  ])
    await completing.execute(db);
}
