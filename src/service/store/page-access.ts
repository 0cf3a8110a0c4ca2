/** Stores who may read a status page, and whether the page hides the name of this software. Keys are stored hashed. */
import type { StoreContext } from './context.ts';
import { hashOf, makeSecretText } from './secrets.ts';

export interface PageAccess {
  readonly isPrivate: boolean;
  readonly whiteLabel: boolean;
  /** Null without a key: then nobody can open the page while it is private. */
  readonly keyHash: string | null;
}

const PUBLIC: PageAccess = { isPrivate: false, whiteLabel: false, keyHash: null };

const KEY_PREFIX = 'pk_';

export function pageAccess(context: StoreContext) {
  const read = async ({ db }: StoreContext, pageIds: readonly string[]) => {
    if (pageIds.length === 0) return new Map<string, PageAccess>();
    const rows = await db
      .selectFrom('status_page_access')
      .selectAll()
      .where('page_id', 'in', pageIds)
      .execute();
    return new Map(
      rows.map((row): [string, PageAccess] => [
        row.page_id,
        { isPrivate: row.is_private === 1, whiteLabel: row.white_label === 1, keyHash: row.key_hash },
      ]),
    );
  };
  const accessOf = async (tx: StoreContext, pageId: string) =>
    (await read(tx, [pageId])).get(pageId) ?? PUBLIC;
  return {
    /** Returns a function that returns the access of a page. Pages without settings are public. */
    async byPages(pageIds: readonly string[]): Promise<(pageId: string) => PageAccess> {
      const accesses = await read(context, pageIds);
      return (pageId) => accesses.get(pageId) ?? PUBLIC;
    },
    of: (pageId: string): Promise<PageAccess> => accessOf(context, pageId),
    /**
     * Changes the given settings. A page that becomes private or requests a new key gets one, which replaces the previous
     * key. The key is returned only here.
     */
    set: (
      pageId: string,
      change: {
        isPrivate?: boolean | undefined;
        whiteLabel?: boolean | undefined;
        newKey?: boolean | undefined;
      },
    ): Promise<PageAccess & { readonly key?: string }> =>
      context.atomically(async (tx) => {
        const before = await accessOf(tx, pageId);
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
