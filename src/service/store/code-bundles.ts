/** Stores archives of the project folders of Playwright checks and test suites, by the hash of their content. */
import { createHash } from 'node:crypto';
import { type Selection, type SqlBool, sql } from 'kysely';
import type { Database, StoreContext } from './context.ts';
import { applySlice, type Slice } from './lists.ts';

const COLUMNS = ['id', 'bytes', 'created_at as createdAt'] as const;

export type CodeBundleRecord = Selection<Database, 'code_bundles', (typeof COLUMNS)[number]>;

/** Archives are stored as Base64. */
const base64Length = (bytes: number): number => Math.ceil((bytes * 4) / 3);

export function codeBundles({ db, clock }: StoreContext) {
  const owned = (accountId: string) => db.selectFrom('code_bundles').where('account_id', '=', accountId);
  const decode = (row: { readonly archive: string } | undefined) => row && Buffer.from(row.archive, 'base64');
  return {
    /** Stores an archive. Identical archives are stored once. */
    async save(accountId: string, archive: Buffer): Promise<CodeBundleRecord> {
      const id = createHash('sha256').update(archive).digest('hex');
      const bundle = { id, bytes: archive.length, created_at: clock.now() };
      return db
        .insertInto('code_bundles')
        .values({ account_id: accountId, ...bundle, archive: archive.toString('base64') })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'id']).doUpdateSet({ created_at: bundle.created_at }),
        )
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
    },
    /** Returns whether the account has the archive. */
    async has(accountId: string, id: string): Promise<boolean> {
      return (await owned(accountId).select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
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
    read: async (accountId: string, id: string): Promise<Buffer | undefined> =>
      decode(await owned(accountId).select('archive').where('id', '=', id).executeTakeFirst()),
    /** Returns an archive for a session's plan. Its ownership was validated when the check was written. */
    archive: async (id: string): Promise<Buffer | undefined> =>
      decode(await db.selectFrom('code_bundles').select('archive').where('id', '=', id).executeTakeFirst()),
    /** Lists the archives, newest first, or only the one with `id`. */
    list(
      accountId: string,
      { id, ...slice }: Slice & { readonly id?: string } = {},
    ): Promise<CodeBundleRecord[]> {
      const all = owned(accountId).select(COLUMNS).orderBy('created_at', 'desc').orderBy('id');
      return applySlice(id === undefined ? all : all.where('id', '=', id), slice).execute();
    },
    async count(accountId: string): Promise<number> {
      const query = owned(accountId).select((to) => to.fn.countAll<number>().as('count'));
      return (await query.executeTakeFirstOrThrow()).count;
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
