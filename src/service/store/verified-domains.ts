/**
 * Stores the domains at which status pages and dashboards are served. A page declares a domain in its body. The first
 * page whose account proves that it controls the domain is served there.
 */
import type { StoreContext } from './context.ts';
import type { StoredResource } from './documents.ts';

/** The tables of pages that may have a domain. */
const PAGE_TABLES = ['status_pages', 'dashboards'] as const;
export type PageTable = (typeof PAGE_TABLES)[number];

interface BodyWithDomain {
  readonly customDomain?: string | null | undefined;
}

/** Returns the domain that a page declares, in lower case; undefined if there is none. */
export const declaredDomain = ({ customDomain }: BodyWithDomain): string | undefined =>
  customDomain?.toLowerCase() || undefined;

/** Takes the domain from a page that no longer declares it, in the transaction that writes the page. */
export const releaseDomain =
  (table: PageTable) =>
  async ({ db }: StoreContext, { id, body }: StoredResource<string, BodyWithDomain>, kind: string) => {
    if (kind !== 'replace') return;
    await db
      .updateTable(table)
      .set({ verified_domain: null })
      .where('id', '=', id)
      .where('verified_domain', '!=', declaredDomain(body) ?? '')
      .execute();
  };

export function verifiedDomains(context: StoreContext, table: PageTable) {
  return {
    /** Returns the IDs of the pages that are served at their domains. */
    async idsWithVerifiedDomain(ids: readonly string[]): Promise<ReadonlySet<string>> {
      if (ids.length === 0) return new Set();
      const query = context.db.selectFrom(table).select('id').where('verified_domain', 'is not', null);
      return new Set((await query.where('id', 'in', ids).execute()).map(({ id }) => id));
    },
    /**
     * Serves a page at a domain that its account has proved to control. Returns false if the page no longer declares the
     * domain or another page has it.
     */
    serveAtDomain: (accountId: string, id: string, domain: string): Promise<boolean> =>
      context.atomically(async ({ db }) => {
        for (const other of PAGE_TABLES) {
          const query = db.selectFrom(other).select('id').where('verified_domain', '=', domain);
          const holder = await query.executeTakeFirst();
          if (holder !== undefined) return other === table && holder.id === id;
        }
        const page = db
          .selectFrom(table)
          .select('body')
          .where('account_id', '=', accountId)
          .where('id', '=', id);
        const row = await (context.dialect === 'postgres' ? page.forUpdate() : page).executeTakeFirst();
        if (row === undefined || declaredDomain(JSON.parse(row.body)) !== domain) return false;
        await db.updateTable(table).set({ verified_domain: domain }).where('id', '=', id).execute();
        return true;
      }),
  };
}
