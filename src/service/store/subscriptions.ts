/** Stores which checks and groups alert which channels. */
import type { StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';
import type { Executor } from './tables.ts';

/** One end of a subscription: a check or a group. */
export type SubscriptionTarget = { readonly checkId: string } | { readonly groupId: number };

export interface Subscription {
  readonly channelId: number;
  readonly checkId: string | null;
  readonly groupId: number | null;
  readonly activated: boolean;
}

const COLUMNS = { checkId: 'check_id', groupId: 'group_id', channelId: 'channel_id' } as const;

type Choice<T> = T & { readonly activated: boolean };

const all = (db: Executor, accountId: string) =>
  db
    .selectFrom('alert_subscriptions')
    .select(['channel_id as channelId', 'check_id as checkId', 'group_id as groupId', 'activated'])
    .where('account_id', '=', accountId)
    .orderBy('channel_id')
    .orderBy('check_id')
    .orderBy('group_id');
const ofCheck = prepareStatement((db, accountId: string, id: string) =>
  all(db, accountId).where('check_id', '=', id),
);
const ofGroup = prepareStatement((db, accountId: string, id: number) =>
  all(db, accountId).where('group_id', '=', id),
);

export function subscriptions(context: StoreContext) {
  const columns = (target: SubscriptionTarget) =>
    'checkId' in target
      ? ({ check_id: target.checkId, group_id: null } as const)
      : ({ check_id: null, group_id: target.groupId } as const);
  const toSubscriptions = (
    rows: readonly (Omit<Subscription, 'activated'> & { activated: number })[],
  ): Subscription[] => rows.map((row) => ({ ...row, activated: row.activated === 1 }));
  const column = (target: SubscriptionTarget) =>
    'checkId' in target
      ? ({ name: 'check_id', value: target.checkId } as const)
      : ({ name: 'group_id', value: target.groupId } as const);

  return {
    /** Returns the subscriptions of a check or group. */
    async ofTarget(accountId: string, target: SubscriptionTarget): Promise<Subscription[]> {
      return toSubscriptions(
        await ('checkId' in target
          ? ofCheck(context, accountId, target.checkId)
          : ofGroup(context, accountId, target.groupId)),
      );
    },
    /** Returns the subscriptions of several checks, groups or channels. */
    async ofMany(
      accountId: string,
      end: 'checkId' | 'groupId' | 'channelId',
      ids: readonly (string | number)[],
    ): Promise<Subscription[]> {
      if (ids.length === 0) return [];
      return toSubscriptions(
        await all(context.db, accountId)
          .where(COLUMNS[end], 'in', ids as never)
          .execute(),
      );
    },
    /** Returns the subscriptions of a channel. */
    async ofChannel(accountId: string, channelId: number): Promise<Subscription[]> {
      return toSubscriptions(await all(context.db, accountId).where('channel_id', '=', channelId).execute());
    },
    /** Replaces the subscriptions of a check or group. @throws StoreConflict (`reference`) if one of them is not in the account. */
    set: (
      accountId: string,
      target: SubscriptionTarget,
      channels: readonly Choice<{ readonly channelId: number }>[],
    ): Promise<void> =>
      context.atomically(async ({ db }) => {
        const { name, value } = column(target);
        await db
          .deleteFrom('alert_subscriptions')
          .where('account_id', '=', accountId)
          .where(name, '=', value)
          .execute();
        const rows = channels.map(({ channelId, activated }) => ({
          account_id: accountId,
          channel_id: channelId,
          ...columns(target),
          activated: activated ? 1 : 0,
        }));
        if (rows.length > 0) await db.insertInto('alert_subscriptions').values(rows).execute();
      }),
    /** Replaces the subscriptions of a channel. @throws StoreConflict (`reference`) if one of them is not in the account. */
    setOfChannel: (
      accountId: string,
      channelId: number,
      targets: readonly Choice<SubscriptionTarget>[],
    ): Promise<void> =>
      context.atomically(async ({ db }) => {
        await db
          .deleteFrom('alert_subscriptions')
          .where('account_id', '=', accountId)
          .where('channel_id', '=', channelId)
          .execute();
        const rows = targets.map((target) => ({
          account_id: accountId,
          channel_id: channelId,
          ...columns(target),
          activated: target.activated ? 1 : 0,
        }));
        if (rows.length > 0) await db.insertInto('alert_subscriptions').values(rows).execute();
      }),
    /** Subscribes a check or group to every existing channel of the account (autoAssignAlerts). */
    subscribeToAll: (accountId: string, target: SubscriptionTarget): Promise<void> =>
      context.atomically(async ({ db }) => {
        const channels = await db
          .selectFrom('alert_channels')
          .select('id')
          .where('account_id', '=', accountId)
          .execute();
        if (channels.length === 0) return;
        await db
          .insertInto('alert_subscriptions')
          .values(
            channels.map(({ id }) => ({
              account_id: accountId,
              channel_id: id,
              ...columns(target),
              activated: 1,
            })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
  };
}
