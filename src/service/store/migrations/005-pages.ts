/** Adds incident times, custom domains, and the access and subscribers of status pages. */
import type { Kysely } from 'kysely';
import { incidentTimes } from '../incident-times.ts';
import type { Columns, Migration } from './migration.ts';

/** Adds time columns to incidents, and fills them for existing ones. */
async function incidents(db: Kysely<unknown>, { bigint, text }: Columns): Promise<void> {
  for (const column of ['opened_at', 'resolved_at'])
    await db.schema.alterTable('incidents').addColumn(column, bigint).execute();
  await db.schema
    .createIndex('incidents_account_id_resolved_at')
    .on('incidents')
    .columns(['account_id', 'resolved_at'])
    .execute();
  const rows = db as Kysely<{
    incidents: { id: string; body: string; opened_at: number | null; resolved_at: number | null };
  }>;
  for (const { id, body } of await rows.selectFrom('incidents').select(['id', 'body']).execute())
    await rows
      .updateTable('incidents')
      .set(incidentTimes(JSON.parse(body)))
      .where('id', '=', id)
      .execute();
  // The key admits one open incident per check. Deleting the check does not delete the incident, which a user can resolve.
  await db.schema
    .createTable('automatic_incidents')
    .addColumn('check_id', text, (column) => column.primaryKey().references('checks.id').onDelete('cascade'))
    .addColumn('account_id', text, (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('incident_id', text, (column) => column.references('incidents.id').onDelete('cascade'))
    .execute();
}

/** Adds a unique column for custom domains. The oldest page keeps a domain that several pages have. */
async function domains(db: Kysely<unknown>, { text }: Columns): Promise<void> {
  await db.schema.alterTable('status_pages').addColumn('custom_domain', text).execute();
  const rows = db as Kysely<{
    status_pages: { id: string; body: string; custom_domain: string | null; created_at: number };
  }>;
  const seen = new Set<string>();
  const pages = rows.selectFrom('status_pages').select(['id', 'body']).orderBy('created_at').orderBy('id');
  for (const { id, body } of await pages.execute()) {
    const { customDomain } = JSON.parse(body) as { customDomain?: string | null };
    const domain = customDomain?.toLowerCase();
    if (!domain || seen.has(domain)) continue;
    seen.add(domain);
    await rows.updateTable('status_pages').set({ custom_domain: domain }).where('id', '=', id).execute();
  }
  await db.schema
    .createIndex('status_pages_custom_domain')
    .on('status_pages')
    .column('custom_domain')
    .unique()
    .execute();
}

async function access(db: Kysely<unknown>, { text, integer, bigint }: Columns): Promise<void> {
  await db.schema
    .createTable('status_page_access')
    .addColumn('page_id', text, (column) =>
      column.primaryKey().references('status_pages.id').onDelete('cascade'),
    )
    .addColumn('is_private', integer, (column) => column.notNull())
    .addColumn('white_label', integer, (column) => column.notNull())
    .addColumn('key_hash', text)
    .execute();
  await db.schema
    .createTable('page_subscribers')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('page_id', text, (column) =>
      column.notNull().references('status_pages.id').onDelete('cascade'),
    )
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('confirm_hash', text)
    .addColumn('asked_at', bigint, (column) => column.notNull())
    .addColumn('confirmed_at', bigint)
    .addUniqueConstraint('page_subscribers_once', ['page_id', 'kind', 'address'])
    .execute();
  await db.schema
    .createIndex('page_subscribers_page_id_asked_at')
    .on('page_subscribers')
    .columns(['page_id', 'asked_at'])
    .execute();
}

export const pages: Migration = {
  name: '005-pages',
  async up(db, columns) {
    await incidents(db, columns);
    await domains(db, columns);
    await access(db, columns);
    await db.schema
      .createTable('service_settings')
      .addColumn('name', columns.text, (column) => column.primaryKey())
      .addColumn('value', columns.text, (column) => column.notNull())
      .execute();
  },
};
