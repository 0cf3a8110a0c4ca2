/** Stores dashboards, and the keys that open private ones. Keys are stored hashed. */

import type { Selection } from 'kysely';
import type { Database, StoreContext } from './context.ts';
import { collection, type DashboardBody, type DashboardRecord, resourceFrom } from './documents.ts';
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

/** Returns the number of a dashboard that clients expect beside its ID: the first 48 bits of the UUID. */
export const dashboardNumber = (id: string): number =>
  Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);

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
    /** Returns the dashboard with this number; undefined if the account has no such dashboard. */
    async byNumber(accountId: string, number: number): Promise<DashboardRecord | undefined> {
      const digits = number.toString(16).padStart(12, '0');
      const prefix = `${digits.slice(0, 8)}-${digits.slice(8)}`;
      const row = await db
        .selectFrom('dashboards')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('id', '>=', `${prefix}-`)
        // The character after the hyphen.
        .where('id', '<', `${prefix}.`)
        .executeTakeFirst();
      return row && resourceFrom<string, DashboardBody>(row);
    },
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
