/** Builds the queries of check lists: over the narrow listing rows, the rarest tag, or the few failing checks. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isActiveCheck } from './active-check.ts';
import type { DialectName, Executor } from './context.ts';
import { likePattern } from './documents.ts';
import type { Slice } from './lists.ts';
import { uuidRange } from './lists.ts';

export type CheckStatus = 'passing' | 'failing' | 'degraded';

export interface CheckFilter extends Slice {
  /** Part of the name or prefix of the ID, ignoring case. */
  readonly search?: string | undefined;
  readonly type?: string | undefined;
  /** Only checks with any of these tags. */
  readonly tags?: readonly string[] | undefined;
  readonly status?: CheckStatus | undefined;
  /** Part of the URL of an API check, ignoring case. Selects API checks only. */
  readonly apiUrl?: string | undefined;
  /** Only checks that run: neither the check nor its group is deactivated. With a status only. */
  readonly isActive?: boolean;
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

function sourceOf(accountId: string, { tags = [], status }: CheckFilter): Source {
  const owned = sql<SqlBool>`source.account_id = ${accountId}`;
  const [tag, ...others] = tags;
  if (tag !== undefined) {
    const tagged =
      others.length === 0
        ? [sql<SqlBool>`source.tag = ${tag}`]
        : [
            sql<SqlBool>`source.tag in (${sql.join(tags)})`,
            // A check with several of the tags counts once.
            sql<SqlBool>`not exists (select 1 from check_tags as earlier where earlier.check_id = source.check_id
              and earlier.tag < source.tag and earlier.tag in (${sql.join(tags)}))`,
          ];
    return { table: sql`check_tags`, id: sql`source.check_id`, conditions: [owned, ...tagged] };
  }
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

function urlConditions(dialect: DialectName, text: string): RawBuilder<SqlBool>[] {
  const url =
    dialect === 'postgres'
      ? sql`stated.body::json #>> '{request,url}'`
      : sql`stated.body ->> '$.request.url'`;
  const isLike = sql<SqlBool>`lower(${url}) like lower(${likePattern(text)}) escape '\\'`;
  return [sql<SqlBool>`stated.type = 'API'`, isLike];
}

/** Returns the tables and conditions of a filter. SQLite keeps the written order of cross joins. */
function listQuery(dialect: DialectName, accountId: string, filter: CheckFilter) {
  const { search, type, status, apiUrl } = filter;
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
  if (status !== undefined || apiUrl !== undefined) {
    tables.push(sql`checks as stated`);
    conditions.push(sql<SqlBool>`stated.id = ${source.id}`);
    if (status !== undefined) conditions.push(sql<SqlBool>`stated.status = ${status}`);
    if (apiUrl !== undefined) conditions.push(...urlConditions(dialect, apiUrl));
    if (status !== undefined && filter.isActive) conditions.push(isActiveCheck('stated'));
  }
  return {
    id: source.id,
    from: sql`from ${sql.join(tables, sql` cross join `)} where ${sql.join(conditions, sql` and `)}`,
  };
}

/** Returns a subquery of the IDs of a slice of the list, newest first. */
export function selectListedIds(dialect: DialectName, accountId: string, filter: CheckFilter) {
  const { id, from } = listQuery(dialect, accountId, filter);
  const { limit = Number.MAX_SAFE_INTEGER, offset = 0 } = filter;
  return sql<string>`(select id from (select ${id} as id ${from}
    order by source.created_at desc, ${id} desc limit ${limit} offset ${offset}) as listed)`;
}

/** Returns the query that counts the checks of a list, up to `MAX_COUNTED` + 1. */
export function countListed(dialect: DialectName, accountId: string, filter: CheckFilter) {
  const { from } = listQuery(dialect, accountId, filter);
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

/** Matches checks with all tags of any group; `!tag` excludes a tag. */
export type TagGroups = readonly (readonly string[])[];

/** Counting stops here: tags of more checks are equally common. */
const MAX_COUNTED_TAGGED = 1000;

const tagged = (accountId: string, tag: string) =>
  sql`select check_tags.check_id as id from check_tags
    where check_tags.account_id = ${accountId} and check_tags.tag = ${tag}`;
const taggedByGroup = (accountId: string, tag: string) =>
  sql`select checks.id as id from check_group_tags cross join checks
    where check_group_tags.account_id = ${accountId} and check_group_tags.tag = ${tag}
    and checks.account_id = check_group_tags.account_id and checks.group_id = check_group_tags.group_id`;

/** The offset stops Postgres from building a hash table of all checks of a common tag. */
const hasTag = (id: RawBuilder<unknown>, tag: string) =>
  sql<SqlBool>`(exists (select 1 from check_tags where check_tags.check_id = ${id} and check_tags.tag = ${tag}
      limit 1 offset 0)
    or exists (select 1 from checks as member join check_group_tags on check_group_tags.group_id = member.group_id
      where member.id = ${id} and check_group_tags.tag = ${tag} limit 1 offset 0))`;

/** Returns how many checks have each tag: at most `MAX_COUNTED_TAGGED` directly, and as many through groups. */
async function countByTag(
  db: Executor,
  accountId: string,
  tags: readonly string[],
): Promise<Map<string, number>> {
  const parts = tags.map(
    (tag) => sql`select ${tag} as tag,
      (select count(*) from (${tagged(accountId, tag)} limit ${MAX_COUNTED_TAGGED}) as own) +
      (select count(*) from (${taggedByGroup(accountId, tag)} limit ${MAX_COUNTED_TAGGED}) as grouped) as count`,
  );
  const { rows } = await sql<{ tag: string; count: number }>`${sql.join(parts, sql` union all `)}`.execute(
    db,
  );
  return new Map(rows.map(({ tag, count }) => [tag, count]));
}

async function idsInGroup(
  db: Executor,
  accountId: string,
  group: readonly string[],
): Promise<RawBuilder<unknown>> {
  const required = [...new Set(group.filter((tag) => !tag.startsWith('!')))];
  const excluded = group.filter((tag) => tag.startsWith('!')).map((tag) => tag.slice(1));
  const counts = required.length > 1 ? await countByTag(db, accountId, required) : new Map<string, number>();
  const [rarest, ...others] = required.toSorted(
    (one, other) => (counts.get(one) ?? 0) - (counts.get(other) ?? 0),
  );
  const id = sql`candidate.id`;
  const candidates =
    rarest === undefined
      ? sql`select id from checks where account_id = ${accountId}`
      : sql`${tagged(accountId, rarest)} union ${taggedByGroup(accountId, rarest)}`;
  const conditions = [
    ...others.map((tag) => hasTag(id, tag)),
    ...excluded.map((tag) => sql<SqlBool>`not ${hasTag(id, tag)}`),
  ];
  const all = sql`select candidate.id from (${candidates}) as candidate`;
  return conditions.length === 0 ? all : sql`${all} where ${sql.join(conditions, sql` and `)}`;
}

/** Returns a subquery of the IDs of the matching checks, for use with `in`. */
export async function idsByTags(db: Executor, accountId: string, groups: TagGroups) {
  const parts: RawBuilder<unknown>[] = [];
  for (const group of groups) parts.push(await idsInGroup(db, accountId, group));
  return sql<string>`(${sql.join(parts, sql` union `)})`;
}
