/** Stores check groups and their tags. */
import { type Selectable, sql } from 'kysely';
import type { BodyOf, createCheckGroup } from '../../contract/index.ts';
import { bodyContains, isValidId, type StoredResource } from './collection.ts';
import type { Slice, StoreContext } from './context.ts';
import { applySlice } from './cursor.ts';
import { type Listing, readInChunks, rowsOf } from './listing.ts';
import type { ResourceTables } from './tables/resources.ts';

/** All fields that the API accepts, except alertChannelSubscriptions, which have their own table. */
export type CheckGroupBody = BodyOf<typeof createCheckGroup>;
export type CheckGroupRecord = StoredResource<number, CheckGroupBody>;

function groupFrom(row: Selectable<ResourceTables['check_groups']>): CheckGroupRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    body: JSON.parse(row.body) as CheckGroupBody,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function columnsOf(body: CheckGroupBody) {
  return { activated: body.activated === false ? 0 : 1, body: JSON.stringify(body) };
}

/** Writes the tags that the checks of a group inherit. */
async function writeTags({ db }: StoreContext, { id, accountId, body }: CheckGroupRecord): Promise<void> {
  await db.deleteFrom('check_group_tags').where('group_id', '=', id).execute();
  const rows = [...new Set(body.tags)].map((tag) => ({ group_id: id, account_id: accountId, tag }));
  if (rows.length > 0) await db.insertInto('check_group_tags').values(rows).execute();
}

export function checkGroups(context: StoreContext) {
  const { db, clock } = context;
  const owned = (accountId: string) =>
    db.selectFrom('check_groups').selectAll().where('account_id', '=', accountId);
  return {
    create: (accountId: string, body: CheckGroupBody): Promise<CheckGroupRecord> =>
      context.atomically(async (tx) => {
        const row = { account_id: accountId, ...columnsOf(body), created_at: clock.now(), updated_at: null };
        const query = tx.db.insertInto('check_groups').values(row).returningAll();
        const group = groupFrom(await query.executeTakeFirstOrThrow());
        await writeTags(tx, group);
        return group;
      }),
    async get(accountId: string, id: number): Promise<CheckGroupRecord | undefined> {
      if (!isValidId(id)) return undefined;
      const row = await owned(accountId).where('id', '=', id).executeTakeFirst();
      return row && groupFrom(row);
    },
    async byIds(accountId: string, ids: readonly number[]): Promise<CheckGroupRecord[]> {
      const validIds = ids.filter(isValidId);
      if (validIds.length === 0) return [];
      return (await owned(accountId).where('id', 'in', validIds).execute()).map(groupFrom);
    },
    /** Replaces a group; undefined if the account has no such group. */
    async replace(
      accountId: string,
      id: number,
      body: CheckGroupBody,
    ): Promise<CheckGroupRecord | undefined> {
      if (!isValidId(id)) return undefined;
      return context.atomically(async (tx) => {
        const query = tx.db
          .updateTable('check_groups')
          .set({ ...columnsOf(body), updated_at: clock.now() })
          .where('account_id', '=', accountId)
          .where('id', '=', id);
        const row = await query.returningAll().executeTakeFirst();
        if (row === undefined) return undefined;
        const group = groupFrom(row);
        await writeTags(tx, group);
        return group;
      });
    },
    /** Deletes a group; false if it does not exist. @throws StoreConflict (`reference`) if it contains checks. */
    async delete(accountId: string, id: number): Promise<boolean> {
      if (!isValidId(id)) return false;
      const query = db.deleteFrom('check_groups').where('account_id', '=', accountId).where('id', '=', id);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Returns the groups whose JSON contains a text, oldest first. */
    async findByText(accountId: string, text: string): Promise<CheckGroupRecord[]> {
      const query = owned(accountId).where(bodyContains(text));
      return (await query.orderBy('created_at').orderBy('id').execute()).map(groupFrom);
    },
    /** Lists the groups, newest first. */
    async listing(accountId: string, slice: Slice): Promise<Listing<CheckGroupRecord>> {
      const newestFirst = owned(accountId).orderBy('created_at', 'desc').orderBy('id', 'desc');
      const selectSizes = newestFirst
        .clearSelect()
        .select(['id', sql<number>`octet_length(body)`.as('bytes')]);
      const sizes = await applySlice(selectSizes, slice).execute();
      const chunks = readInChunks(sizes, async (ids) =>
        (await newestFirst.where('id', 'in', ids).execute()).map(groupFrom),
      );
      return { length: sizes.length, nextId: null, chunks };
    },
    async list(accountId: string, slice: Slice = {}): Promise<CheckGroupRecord[]> {
      return rowsOf(await this.listing(accountId, slice));
    },
  };
}
