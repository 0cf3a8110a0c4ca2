/** Stores archives of the project folders of Playwright checks and test suites, by the hash of their content. */
import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Slice, StoreContext } from './context.ts';
import { applySlice } from './cursor.ts';

export interface CodeBundleRecord {
  /** Hex SHA-256 of the archive. */
  readonly id: string;
  readonly bytes: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

/** Archives are stored as Base64. */
const base64Length = (bytes: number): number => Math.ceil((bytes * 4) / 3);

export function codeBundles({ db, clock }: StoreContext) {
  return {
    /** Stores an archive. Identical archives are stored once. */
    async save(accountId: string, archive: Buffer): Promise<CodeBundleRecord> {
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
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'id']).doUpdateSet({ created_at: createdAt }),
        )
        .execute();
      return { id, bytes, createdAt };
    },
    /** Returns whether the account has the archive. */
    async has(accountId: string, id: string): Promise<boolean> {
      const query = db.selectFrom('code_bundles').select('id').where('account_id', '=', accountId);
      return (await query.where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    /** Restarts the archive's retention period; false if the account has no such archive. */
    async touch(accountId: string, id: string): Promise<boolean> {
      const query = db
        .updateTable('code_bundles')
        .set({ created_at: clock.now() })
        .where('account_id', '=', accountId)
        .where('id', '=', id);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Returns the archive; undefined if the account has no such archive. */
    async read(accountId: string, id: string): Promise<Buffer | undefined> {
      const query = db.selectFrom('code_bundles').select('archive').where('account_id', '=', accountId);
      const row = await query.where('id', '=', id).executeTakeFirst();
      return row && Buffer.from(row.archive, 'base64');
    },
    /** Returns an archive for a session's plan. Its ownership was validated when the check was written. */
    async archive(id: string): Promise<Buffer | undefined> {
      const row = await db
        .selectFrom('code_bundles')
        .select('archive')
        .where('id', '=', id)
        .executeTakeFirst();
      return row && Buffer.from(row.archive, 'base64');
    },
    /** Lists the archives, newest first, or only the one with `id`. */
    async list(
      accountId: string,
      { id, ...slice }: Slice & { readonly id?: string } = {},
    ): Promise<CodeBundleRecord[]> {
      const all = db
        .selectFrom('code_bundles')
        .select(['id', 'bytes', 'created_at'])
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id');
      const rows = await applySlice(id === undefined ? all : all.where('id', '=', id), slice).execute();
      return rows.map((row) => ({ id: row.id, bytes: row.bytes, createdAt: row.created_at }));
    },
    async count(accountId: string): Promise<number> {
      const query = db.selectFrom('code_bundles').select((to) => to.fn.countAll<number>().as('count'));
      return (await query.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
    /** Returns the stored bytes of all accounts' archives. */
    async storedBytes(): Promise<number> {
      const query = db
        .selectFrom('code_bundles')
        .select((to) => to.fn.sum<number | null>('bytes').as('bytes'));
      return base64Length(Number((await query.executeTakeFirstOrThrow()).bytes ?? 0));
    },
    /** Deletes archives sent before an instant that no check and no open session uses; returns their number. */
    async deleteUnused(before: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('code_bundles')
        .where('created_at', '<', before)
        .where(
          sql<SqlBool>`not exists (select 1 from check_listing join checks on checks.id = check_listing.check_id
            where check_listing.account_id = code_bundles.account_id
            and check_listing.type = 'PLAYWRIGHT' and checks.body like '%"' || code_bundles.id || '"%')`,
        )
        .where(
          // An open session has a deadline and a plan.
          sql<SqlBool>`not exists (select 1 from check_sessions where check_sessions.ends_by is not null
            and check_sessions.check_type = 'PLAYWRIGHT' and check_sessions.plan like '%"' || code_bundles.id || '"%')`,
        )
        .executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
}
