/** Finds dashboards and status pages for readers, who know an address and no account. */
import type { StoreContext } from './context.ts';
import { resourceFrom, type StoredResource } from './documents.ts';
import type { PageTable } from './verified-domains.ts';

/** Returns the page whose column has a value. */
export async function findInAnyAccount<Body>(
  { db }: StoreContext,
  table: PageTable,
  column: 'id' | 'unique_key' | 'verified_domain',
  value: string,
): Promise<StoredResource<string, Body> | undefined> {
  const row = await db.selectFrom(table).selectAll().where(column, '=', value).executeTakeFirst();
  return row && resourceFrom(row);
}
