/** Finds the checks of a list: by the narrow rows of all checks, or of one tag, or among the few that fail. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { containing } from './collection.ts';
import type { Slice } from './context.ts';
import { uuidRange } from './id-prefix.ts';
import type { Executor } from './tables.ts';

export type CheckStatus = 'passing' | 'failing' | 'degraded';

export interface CheckFilter extends Slice {
  /** Part of the name or the beginning of the id, in any case. */
  readonly search?: string | undefined;
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
  readonly status?: CheckStatus | undefined;
}

/** Longer lists are not counted to their end. */
export const MOST_COUNTED = 10_000;

/** Where a list is read in its order: a table whose index begins with what is asked for. */
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
      // The second is that of the index, written out for SQLite.
      conditions: [
        owned,
        sql<SqlBool>`source.status = ${status}`,
        sql<SqlBool>`source.status in ('failing', 'degraded')`,
      ],
    };
  return { table: sql`check_listing`, id: sql`source.check_id`, conditions: [owned], isListing: true };
}

function searched(listing: RawBuilder<unknown>, text: string): RawBuilder<SqlBool> {
  const ids = uuidRange(text);
  const named = sql<SqlBool>`${listing}.name_folded like ${containing(text.toLowerCase())} escape '\\'`;
  return ids === undefined
    ? named
    : sql<SqlBool>`(${named} or ${listing}.check_id between ${ids.first} and ${ids.last})`;
}

/** The tables and conditions of a filter. Cross joins: SQLite takes them in the order in which they are written. */
function listed(accountId: string, filter: CheckFilter) {
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
  if (search !== undefined) conditions.push(searched(listing, search));
  if (status !== undefined) {
    tables.push(sql`checks as stated`);
    conditions.push(sql<SqlBool>`stated.id = ${source.id}`, sql<SqlBool>`stated.status = ${status}`);
  }
  return {
    id: source.id,
    from: sql`from ${sql.join(tables, sql` cross join `)} where ${sql.join(conditions, sql` and `)}`,
  };
}

/** The ids of a part of a list, the newest first. */
export function listedIds(accountId: string, filter: CheckFilter) {
  const { id, from } = listed(accountId, filter);
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0 } = filter;
  return sql<string>`(select id from (select ${id} as id ${from}
    order by source.created_at desc, ${id} desc limit ${limit} offset ${offset}) as listed)`;
}

export function countOfListed(accountId: string, filter: CheckFilter) {
  const { from } = listed(accountId, filter);
  return sql<{
    count: number;
  }>`select count(*) as count from (select 1 as one ${from} limit ${MOST_COUNTED + 1}) as listed`;
}

/**
 * Writes what lists and triggers find checks by, of checks that a service of an older version wrote: during an upgrade it still
 * runs on the same Postgres database, and knows of no such rows.
 */
export async function completeLists(db: Executor): Promise<void> {
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
