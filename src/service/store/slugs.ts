/** Judges slugs, which become parts of addresses: two that differ only by case are one to people, and to some software. */
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { likePattern } from './documents.ts';
import { StoreConflict } from './errors.ts';

/** The resources with slugs. The slugs of private locations are unique within an account, the others in the service. */
export type SlugTable = 'status_pages' | 'dashboards' | 'private_locations';

/** Throws StoreConflict (`unique`) if another resource has the slug in any case. Runs in the transaction of the write. */
export async function assertFreeSlug(
  { db }: StoreContext,
  table: SlugTable,
  { id, accountId }: { readonly id: string; readonly accountId: string },
  slug: string | null | undefined,
): Promise<void> {
  if (slug === null || slug === undefined || slug === '') return;
  const folded = slug.toLowerCase();
  // SQLite converts only the letters of ASCII, so that the other characters are compared here.
  const pattern = likePattern(folded)
    .slice(1, -1)
    .replace(/[^\0-\x7f]+/g, '%');
  let others = (db as unknown as Kysely<{ slugs: { id: string; account_id: string; unique_key: string } }>)
    .selectFrom(table as 'slugs')
    .select('unique_key')
    .where('id', '<>', id)
    .where(sql<SqlBool>`lower(unique_key) like ${pattern} escape '\\'`);
  if (table === 'private_locations') others = others.where('account_id', '=', accountId);
  const found = await others.execute();
  if (found.some((other) => other.unique_key.toLowerCase() === folded))
    throw new StoreConflict('unique', table, undefined);
}
