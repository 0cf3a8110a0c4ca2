/** Finds checks by their tags and their groups' tags, starting from the rarest tag. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Executor } from './tables.ts';

/** Matches checks with all tags of any group; `!tag` excludes a tag. */
export type TagGroups = readonly (readonly string[])[];

/** Counting stops here: tags of more checks are equally common. */
const MAX_COUNTED = 1000;

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

/** Returns how many checks have each tag: at most `MOST_COUNTED` directly, and as many through groups. */
async function countByTag(
  db: Executor,
  accountId: string,
  tags: readonly string[],
): Promise<Map<string, number>> {
  const parts = tags.map(
    (tag) => sql`select ${tag} as tag,
      (select count(*) from (${tagged(accountId, tag)} limit ${MAX_COUNTED}) as own) +
      (select count(*) from (${taggedByGroup(accountId, tag)} limit ${MAX_COUNTED}) as grouped) as count`,
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
