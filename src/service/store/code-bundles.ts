/** Project folders of Playwright checks, as archives known by their content. */
import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from './context.ts';

export interface CodeBundleRecord {
  /** Hex SHA-256 of the archive. */
  readonly id: string;
  readonly bytes: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

export function codeBundles({ db, clock }: StoreContext) {
  return {
    /** Keeps an archive; the same bytes are kept once. */
    async keep(accountId: string, archive: Buffer): Promise<CodeBundleRecord> {
      const id = createHash('sha256').update(archive).digest('hex');
      const [bytes, createdAt] = [archive.length, clock.now()];
      await db
        .insertInto('code_bundles')
        .values({
          account_id: accountId,
          id,
          bytes,
          archive: archive.toString('base64'),
          created_at: createdAt,
        })
        .onConflict((known) => known.columns(['account_id', 'id']).doUpdateSet({ created_at: createdAt }))
        .execute();
      return { id, bytes, createdAt };
    },
    /** Whether the account has it. */
    async has(accountId: string, id: string): Promise<boolean> {
      const query = db.selectFrom('code_bundles').select('id').where('account_id', '=', accountId);
      return (await query.where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    /** The archive itself; undefined where the account has none of this id. */
    async read(accountId: string, id: string): Promise<Buffer | undefined> {
      const query = db.selectFrom('code_bundles').select('archive').where('account_id', '=', accountId);
      const row = await query.where('id', '=', id).executeTakeFirst();
      return row && Buffer.from(row.archive, 'base64');
    },
    /** The archive that a plan names: whose it is was judged when the check was written. */
    async archive(id: string): Promise<Buffer | undefined> {
      const row = await db
        .selectFrom('code_bundles')
        .select('archive')
        .where('id', '=', id)
        .executeTakeFirst();
      return row && Buffer.from(row.archive, 'base64');
    },
    /** Drops what no check names and nobody has sent since then. */
    async dropUnused(before: number): Promise<void> {
      await db
        .deleteFrom('code_bundles')
        .where('created_at', '<', before)
        .where(
          sql<SqlBool>`not exists (select 1 from checks where checks.account_id = code_bundles.account_id
            and checks.type = 'PLAYWRIGHT' and checks.body like '%"' || code_bundles.id || '"%')`,
        )
        .execute();
    },
  };
}
