/** Stores status pages, who may read them, and whether they hide the name of this software. Keys are stored hashed. */
import type { StoreContext } from './context.ts';
import { collection, resourceFrom, type StatusPageBody, type StatusPageRecord } from './documents.ts';
import { hashOf, makeSecretText } from './secrets.ts';

export function statusPages(context: StoreContext) {
  const pages = collection<string, StatusPageBody>(context, {
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

export interface PageAccess {
  readonly isPrivate: boolean;
  readonly whiteLabel: boolean;
  /** Null without a key: then nobody can open the page while it is private. */
  readonly keyHash: string | null;
}

const PUBLIC: PageAccess = { isPrivate: false, whiteLabel: false, keyHash: null };

const KEY_PREFIX = 'pk_';

async function readAccess({ db }: StoreContext, pageIds: readonly string[]) {
  const query = db.selectFrom('status_page_access').selectAll();
  const rows = pageIds.length === 0 ? [] : await query.where('page_id', 'in', pageIds).execute();
  const accesses = new Map<string, PageAccess>();
  for (const { page_id, is_private, white_label, key_hash } of rows)
    accesses.set(page_id, { isPrivate: is_private === 1, whiteLabel: white_label === 1, keyHash: key_hash });
  return (pageId: string): PageAccess => accesses.get(pageId) ?? PUBLIC;
}

export function pageAccess(context: StoreContext) {
  return {
    /** Returns a function that returns the access of a page. Pages without settings are public. */
    byPages: (pageIds: readonly string[]) => readAccess(context, pageIds),
    of: async (pageId: string): Promise<PageAccess> => (await readAccess(context, [pageId]))(pageId),
    /**
     * Changes the given settings. A page that becomes private or requests a new key gets one, which replaces the previous
     * key. The key is returned only here.
     */
    set: (
      pageId: string,
      change: { [Name in 'isPrivate' | 'whiteLabel' | 'newKey']?: boolean | undefined },
    ): Promise<PageAccess & { readonly key?: string }> =>
      context.atomically(async (tx) => {
        const before = (await readAccess(tx, [pageId]))(pageId);
        const isPrivate = change.isPrivate ?? before.isPrivate;
        const whiteLabel = change.whiteLabel ?? before.whiteLabel;
        const needsKey = change.newKey === true || (isPrivate && before.keyHash === null);
        const key = needsKey ? KEY_PREFIX + makeSecretText() : undefined;
        const keyHash = key === undefined ? before.keyHash : hashOf(key);
        const row = { is_private: Number(isPrivate), white_label: Number(whiteLabel), key_hash: keyHash };
        await tx.db
          .insertInto('status_page_access')
          .values({ page_id: pageId, ...row })
          .onConflict((conflict) => conflict.column('page_id').doUpdateSet(row))
          .execute();
        return { isPrivate, whiteLabel, keyHash, ...(key === undefined ? {} : { key }) };
      }),
  };
}
