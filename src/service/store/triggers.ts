/** Stores triggers: secret URLs that start a check or a group, which has at most one. */
import { timingSafeEqual } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { StoreContext } from './context.ts';
import { hashOf, makeToken } from './secrets.ts';
import type { SubscriptionTarget } from './subscriptions.ts';
import type { ResourceTables } from './tables/resources.ts';

export interface Trigger {
  readonly id: number;
  readonly accountId: string;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly token: string;
  readonly calledAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

function triggerFrom(row: Selectable<ResourceTables['triggers']>): Trigger {
  return {
    id: row.id,
    accountId: row.account_id,
    checkId: row.check_id,
    groupId: row.group_id,
    token: row.token,
    calledAt: row.called_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Compares two texts in constant time. */
const isSame = (one: string, other: string) =>
  timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));

export function triggers({ db, clock }: StoreContext) {
  const column = (target: SubscriptionTarget) =>
    'checkId' in target
      ? ({ name: 'check_id', value: target.checkId } as const)
      : ({ name: 'group_id', value: target.groupId } as const);
  const of = (target: SubscriptionTarget) => {
    const { name, value } = column(target);
    return db.selectFrom('triggers').selectAll().where(name, '=', value);
  };
  return {
    async get(accountId: string, target: SubscriptionTarget): Promise<Trigger | undefined> {
      const row = await of(target).where('account_id', '=', accountId).executeTakeFirst();
      return row && triggerFrom(row);
    },
    /** @throws StoreConflict: `unique` if the target has a trigger, `reference` if the account has no such check or group. */
    async create(accountId: string, target: SubscriptionTarget): Promise<Trigger> {
      const values = {
        account_id: accountId,
        ...('checkId' in target
          ? { check_id: target.checkId, group_id: null }
          : { check_id: null, group_id: target.groupId }),
        token: makeToken(),
        called_at: null,
        created_at: clock.now(),
        updated_at: null,
      };
      return triggerFrom(
        await db.insertInto('triggers').values(values).returningAll().executeTakeFirstOrThrow(),
      );
    },
    /** Deletes a trigger; false if it does not exist. */
    async delete(accountId: string, target: SubscriptionTarget): Promise<boolean> {
      const { name, value } = column(target);
      const query = db.deleteFrom('triggers').where('account_id', '=', accountId).where(name, '=', value);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Returns the trigger of a public URL, in any account; undefined for a wrong token. */
    async find(target: SubscriptionTarget, token: string): Promise<Trigger | undefined> {
      const row = await of(target).executeTakeFirst();
      return row === undefined || !isSame(row.token, token) ? undefined : triggerFrom(row);
    },
    /** Records a call of the trigger's public URL. */
    async recordCall(id: number): Promise<void> {
      await db.updateTable('triggers').set({ called_at: clock.now() }).where('id', '=', id).execute();
    },
  };
}
