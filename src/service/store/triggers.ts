/** Stores triggers: secret URLs that start a check or a group, which has at most one. */
import type { Selection } from 'kysely';
import { type SubscriptionTarget, targetColumn, targetColumns } from './alerts.ts';
import type { Database, StoreContext } from './context.ts';
import { isSameSecret, makeToken } from './secrets.ts';

const COLUMNS = [
  'id',
  'account_id as accountId',
  'check_id as checkId',
  'group_id as groupId',
  'token',
  'called_at as calledAt',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const;

export type Trigger = Selection<Database, 'triggers', (typeof COLUMNS)[number]>;

export function triggers({ db, clock }: StoreContext) {
  const of = (target: SubscriptionTarget) =>
    db
      .selectFrom('triggers')
      .select(COLUMNS)
      .where((to) => to.and(targetColumn(target)));
  return {
    get: (accountId: string, target: SubscriptionTarget): Promise<Trigger | undefined> =>
      of(target).where('account_id', '=', accountId).executeTakeFirst(),
    /** @throws StoreConflict: `unique` if the target has a trigger, `reference` if the account has no such check or group. */
    create: (accountId: string, target: SubscriptionTarget): Promise<Trigger> =>
      db
        .insertInto('triggers')
        .values({
          account_id: accountId,
          ...targetColumns(target),
          token: makeToken(),
          called_at: null,
          created_at: clock.now(),
          updated_at: null,
        })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow(),
    /** Deletes a trigger; false if it does not exist. */
    async delete(accountId: string, target: SubscriptionTarget): Promise<boolean> {
      const query = db.deleteFrom('triggers').where('account_id', '=', accountId);
      const deleted = await query.where((to) => to.and(targetColumn(target))).executeTakeFirst();
      return deleted.numDeletedRows > 0n;
    },
    /** Returns the trigger of a public URL, in any account; undefined for a wrong token. */
    async find(target: SubscriptionTarget, token: string): Promise<Trigger | undefined> {
      const trigger = await of(target).executeTakeFirst();
      return trigger === undefined || !isSameSecret(trigger.token, token) ? undefined : trigger;
    },
    /** Records a call of the trigger's public URL. */
    async recordCall(id: number): Promise<void> {
      await db.updateTable('triggers').set({ called_at: clock.now() }).where('id', '=', id).execute();
    },
  };
}
