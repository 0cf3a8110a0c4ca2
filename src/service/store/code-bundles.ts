/** Project folders of Playwright checks and of suites sent for test sessions, as archives known by their content. */
import { createHash } from 'node:crypto';
import { type SqlBool, sql } from 'kysely';
import type { Slice, StoreContext } from './context.ts';
import { sliced } from './cursor.ts';

export interface CodeBundleRecord {
  /** Hex SHA-256 of the archive. */
  readonly id: string;
  readonly bytes: number;
  /** Ms since the epoch. */
  readonly createdAt: number;
}

/** Archives are stored as Base64. */
const asText = (bytes: number): number => Math.ceil((bytes * 4) / 3);

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
    /** As if it had been sent again now: it is kept for a while. False where the account has none of this id. */
    async touch(accountId: string, id: string): Promise<boolean> {
      const query = db
        .updateTable('code_bundles')
        .set({ created_at: clock.now() })
        .where('account_id', '=', accountId)
        .where('id', '=', id);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
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
    /** The newest first; the one of an id, where one is named. */
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
      const rows = await sliced(id === undefined ? all : all.where('id', '=', id), slice).execute();
      return rows.map((row) => ({ id: row.id, bytes: row.bytes, createdAt: row.created_at }));
    },
    async count(accountId: string): Promise<number> {
      const query = db.selectFrom('code_bundles').select((to) => to.fn.countAll<number>().as('count'));
      return (await query.where('account_id', '=', accountId).executeTakeFirstOrThrow()).count;
    },
    /** Bytes of all archives as they are stored, of whichever account. */
    async storedBytes(): Promise<number> {
      const query = db
        .selectFrom('code_bundles')
        .select((to) => to.fn.sum<number | null>('bytes').as('bytes'));
      return asText(Number((await query.executeTakeFirstOrThrow()).bytes ?? 0));
    },
    /** Drops what was last sent before then, and no check and nothing under way names; answers how many. */
    async dropUnused(before: number): Promise<number> {
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
