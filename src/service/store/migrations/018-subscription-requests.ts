/** Identifies subscribers by their canonical address, and creates the table of subscription requests. */
import { domainToASCII } from 'node:url';
import type { Kysely } from 'kysely';
import type { Columns, Migration } from './migration.ts';

function canonical(kind: string, address: string): string {
  if (kind !== 'EMAIL') return address;
  const at = address.lastIndexOf('@') + 1;
  const [local, domain] = [address.slice(0, at), address.slice(at)];
  return local.normalize('NFC').toLowerCase() + (domainToASCII(domain) || domain.toLowerCase());
}

/** Merges subscriptions of one mailbox: keeps the oldest confirmed one, or else the oldest. */
async function mergeSpellings(db: Kysely<unknown>, { text }: Columns): Promise<void> {
  await db.schema.alterTable('page_subscribers').addColumn('canonical', text).execute();
  const rows = db as Kysely<{
    page_subscribers: {
      id: string;
      page_id: string;
      kind: string;
      address: string;
      canonical: string | null;
      confirmed_at: number | null;
    };
  }>;
  const seen = new Set<string>();
  const all = await rows
    .selectFrom('page_subscribers')
    .select(['id', 'page_id', 'kind', 'address', 'confirmed_at'])
    .orderBy('id')
    .execute();
  const confirmedFirst = [...all].sort(
    (one, other) => Number(one.confirmed_at === null) - Number(other.confirmed_at === null),
  );
  for (const { id, page_id, kind, address } of confirmedFirst) {
    const form = canonical(kind, address);
    const key = JSON.stringify([page_id, kind, form]);
    if (seen.has(key)) await rows.deleteFrom('page_subscribers').where('id', '=', id).execute();
    else await rows.updateTable('page_subscribers').set({ canonical: form }).where('id', '=', id).execute();
    seen.add(key);
  }
  await db.schema
    .createIndex('page_subscribers_canonical')
    .on('page_subscribers')
    .columns(['page_id', 'kind', 'canonical'])
    .unique()
    .execute();
}

export const subscriptionRequests: Migration = {
  name: '018-subscription-requests',
  async up(db, columns) {
    await mergeSpellings(db, columns);
    await db.schema
      .createTable('subscription_requests')
      .addColumn('id', columns.text, (column) => column.primaryKey())
      .addColumn('page_id', columns.text, (column) =>
        column.notNull().references('status_pages.id').onDelete('cascade'),
      )
      .addColumn('source', columns.text, (column) => column.notNull())
      .addColumn('network', columns.text, (column) => column.notNull())
      .addColumn('mailbox', columns.text)
      .addColumn('asked_at', columns.bigint, (column) => column.notNull())
      .execute();
    for (const column of ['asked_at', 'source', 'mailbox', 'page_id'])
      await db.schema
        .createIndex(`subscription_requests_${column}`)
        .on('subscription_requests')
        .column(column)
        .execute();
  },
};
