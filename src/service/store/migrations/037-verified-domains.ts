/** Keeps the domains at which pages are served apart from those that pages only declare. Existing domains stay verified. */
import type { Migration } from './migrate.ts';

export const verifiedDomains: Migration = {
  name: '037-verified-domains',
  async up(db) {
    // The unique indexes follow the columns.
    for (const table of ['status_pages', 'dashboards'])
      await db.schema.alterTable(table).renameColumn('custom_domain', 'verified_domain').execute();
  },
};
