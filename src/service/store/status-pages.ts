/** Stores status pages, and finds them by slug or domain across accounts. */
import { type Collection, collection, resourceFrom } from './collection.ts';
import type { StoreContext } from './context.ts';
import type { StatusPageBody, StatusPageRecord } from './documents.ts';

export function statusPages(context: StoreContext) {
  const pages: Collection<string, StatusPageBody> = collection(context, {
    table: 'status_pages',
    ids: 'uuid',
    uniqueKey: ({ url }) => url,
    columns: ({ customDomain }) => ({ custom_domain: customDomain?.toLowerCase() || null }),
  });
  const findBy = async (
    column: 'id' | 'unique_key' | 'custom_domain',
    value: string,
  ): Promise<StatusPageRecord | undefined> => {
    const query = context.db.selectFrom('status_pages').selectAll().where(column, '=', value);
    const row = await query.executeTakeFirst();
    return row && resourceFrom(row);
  };
  return {
    ...pages,
    /** Returns the page with an ID, in any account. */
    anyById: (id: string) => findBy('id', id),
    /** Returns the page with a slug, in any account. */
    bySlug: (slug: string) => findBy('unique_key', slug),
    /** Returns the page with a custom domain (lower case, without a port), in any account. */
    byDomain: (domain: string) => findBy('custom_domain', domain),
  };
}
