/** Status pages: documents that are also found by the address a visitor types, whoever owns them. */
import { type Collection, collection, storedFrom } from './collection.ts';
import type { StoreContext } from './context.ts';
import type { StatusPageBody, StatusPageRecord } from './documents.ts';

export type StatusPages = ReturnType<typeof statusPages>;

export function statusPages(context: StoreContext) {
  const pages: Collection<string, StatusPageBody> = collection(context, {
    table: 'status_pages',
    ids: 'uuid',
    uniqueKey: ({ url }) => url,
    columns: ({ customDomain }) => ({ custom_domain: customDomain?.toLowerCase() || null }),
  });
  const found = async (
    column: 'id' | 'unique_key' | 'custom_domain',
    value: string,
  ): Promise<StatusPageRecord | undefined> => {
    const query = context.db.selectFrom('status_pages').selectAll().where(column, '=', value);
    const row = await query.executeTakeFirst();
    return row && storedFrom(row);
  };
  return {
    ...pages,
    /** The page of an id, of whichever account. */
    anyById: (id: string) => found('id', id),
    /** The page of a slug, of whichever account. */
    bySlug: (slug: string) => found('unique_key', slug),
    /** The page of a domain of its own, in lower case and without a port, of whichever account. */
    byDomain: (domain: string) => found('custom_domain', domain),
  };
}
