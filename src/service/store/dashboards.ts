/** Stores dashboards, and the keys that open private ones. Keys are stored hashed. */

import type { Selection } from 'kysely';
import type { Database, StoreContext } from './context.ts';
import { collection, type DashboardBody } from './documents.ts';
import { findInAnyAccount } from './find-in-any-account.ts';
import { makeSecret } from './secrets.ts';
import { assertFreeSlug } from './slugs.ts';
import { releaseDomain, verifiedDomains } from './verified-domains.ts';

const KEY_COLUMNS = [
  'dashboard_id as dashboardId',
  'id',
  'hash',
  'masked',
  'created_at as createdAt',
] as const;

/** The key of a dashboard. `masked`: the first characters, to identify the key. */
export type DashboardKey = Selection<Database, 'dashboard_keys', (typeof KEY_COLUMNS)[number]>;

export function dashboards(context: StoreContext) {
  const { db, clock, random } = context;
  const release = releaseDomain('dashboards');
  const all = collection<string, DashboardBody>(context, {
    table: 'dashboards',
    ids: 'uuid',
    uniqueKey: ({ customUrl }) => customUrl,
    onWrite: async (tx, written, kind) => {
      if (kind !== 'delete') await assertFreeSlug(tx, 'dashboards', written, written.body.customUrl);
      await release(tx, written, kind);
    },
  });
  const findBy = (column: 'id' | 'unique_key' | 'verified_domain', value: string) =>
    findInAnyAccount<DashboardBody>(context, 'dashboards', column, value);
  return {
    ...all,
    /** Returns the dashboard with a slug or an ID, in any account. An ID wins: another account may choose it as its slug. */
    bySlugOrId: async (text: string) => (await findBy('id', text)) ?? (await findBy('unique_key', text)),
    ...verifiedDomains(context, 'dashboards'),
    /** Returns the dashboard that is served at a domain (lower case, without a port), in any account. */
    byDomain: (domain: string) => findBy('verified_domain', domain),
    /** Returns the keys of some dashboards; each has at most one. */
    async keysOf(dashboardIds: readonly string[]): Promise<DashboardKey[]> {
      if (dashboardIds.length === 0) return [];
      const query = db.selectFrom('dashboard_keys').select(KEY_COLUMNS);
      return query.where('dashboard_id', 'in', dashboardIds).execute();
    },
    /** Creates the key of a dashboard, which replaces the previous one. The secret is returned only here. */
    async createKey(dashboardId: string): Promise<{ key: DashboardKey; secret: string }> {
      const { raw, hash, masked } = makeSecret('dk_');
      const row = { id: random.uuid(), hash, masked, created_at: clock.now() };
      const query = db
        .insertInto('dashboard_keys')
        .values({ dashboard_id: dashboardId, ...row })
        .onConflict((conflict) => conflict.column('dashboard_id').doUpdateSet(row));
      return { key: await query.returning(KEY_COLUMNS).executeTakeFirstOrThrow(), secret: raw };
    },
  };
}
