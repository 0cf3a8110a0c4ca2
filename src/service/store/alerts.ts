/** Stores which checks and groups alert which channels, and the alert state of each check. */
import { sql } from 'kysely';
import type { Executor, StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';

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

/** Returns the column that identifies a target. */
export const targetColumn = (target: SubscriptionTarget) =>
  'checkId' in target ? { check_id: target.checkId } : { group_id: target.groupId };

/** Returns both columns of a target, to insert. */
export const targetColumns = (target: SubscriptionTarget) => ({
  check_id: null,
  group_id: null,
  ...targetColumn(target),
});

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

const toSubscriptions = (
  rows: readonly (Omit<Subscription, 'activated'> & { activated: number })[],
): Subscription[] => rows.map((row) => ({ ...row, activated: row.activated === 1 }));

export function subscriptions(context: StoreContext) {
  /** Replaces the account's subscriptions with the values of `where`. */
  const replace = (
    accountId: string,
    where: { check_id: string } | { group_id: number } | { channel_id: number },
    chosen: readonly Choice<SubscriptionTarget & { readonly channelId: number }>[],
  ): Promise<void> =>
    context.atomically(async ({ db }) => {
      const query = db.deleteFrom('alert_subscriptions').where('account_id', '=', accountId);
      await query.where((to) => to.and(where)).execute();
      const rows = chosen.map((one) => ({
        account_id: accountId,
        channel_id: one.channelId,
        ...targetColumns(one),
        activated: one.activated ? 1 : 0,
      }));
      if (rows.length > 0) await db.insertInto('alert_subscriptions').values(rows).execute();
    });

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
      const query = all(context.db, accountId).where(COLUMNS[end], 'in', ids as never);
      return toSubscriptions(await query.execute());
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
      replace(
        accountId,
        targetColumn(target),
        channels.map((channel) => ({ ...target, ...channel })),
      ),
    /** Replaces the subscriptions of a channel. @throws StoreConflict (`reference`) if one of them is not in the account. */
    setOfChannel: (
      accountId: string,
      channelId: number,
      targets: readonly Choice<SubscriptionTarget>[],
    ): Promise<void> =>
      replace(
        accountId,
        { channel_id: channelId },
        targets.map((target) => ({ ...target, channelId })),
      ),
    /** Subscribes a channel to a check or group, or changes that subscription. @throws StoreConflict (`reference`) if one of them is not in the account. */
    async setOne(
      accountId: string,
      channelId: number,
      { activated, ...target }: Choice<SubscriptionTarget>,
    ): Promise<void> {
      const column = 'checkId' in target ? 'check_id' : 'group_id';
      const set = { activated: activated ? 1 : 0 };
      await context.db
        .insertInto('alert_subscriptions')
        .values({ account_id: accountId, channel_id: channelId, ...targetColumns(target), ...set })
        .onConflict((conflict) => conflict.columns(['channel_id', column]).doUpdateSet(set))
        .execute();
    },
    /** Subscribes a check or group to every existing channel of the account (autoAssignAlerts). */
    subscribeToAll: (accountId: string, target: SubscriptionTarget): Promise<void> =>
      context.atomically(async ({ db }) => {
        const query = db.selectFrom('alert_channels').select('id as channel_id');
        const channels = await query.where('account_id', '=', accountId).execute();
        if (channels.length === 0) return;
        const subscribed = { account_id: accountId, ...targetColumns(target), activated: 1 };
        await db
          .insertInto('alert_subscriptions')
          .values(channels.map((channel) => ({ ...channel, ...subscribed })))
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }),
  };
}

export interface AlertStateRecord {
  readonly checkId: string;
  readonly accountId: string;
  /** JSON. */
  readonly state: string;
  readonly dueAt: number | null;
  /** Until when it holds an alert; null: it holds none. */
  readonly heldUntil: number | null;
}

/** The flags of a final result. */
const FLAGS = ['has_failures', 'has_errors', 'is_degraded', 'is_cancelled'] as const;

/** An ended session. */
export interface EndedSessionRecord {
  /** Ms since the epoch. */
  readonly startedAt: number;
  readonly stoppedAt: number | null;
  /** JSON: the locations in which it ran. */
  readonly locations: string;
  /** The flags of its final results. */
  readonly finals: readonly { readonly [Flag in (typeof FLAGS)[number]]: number }[];
}

const MAX_NEWER_SESSIONS = 100;

const selectWithState = prepareStatement((db, checkIds: readonly string[]) =>
  db.selectFrom('alert_states').select('check_id').where('check_id', 'in', checkIds),
);

/** A check without a row has the initial state. */
export function alertStates(context: StoreContext) {
  const { db } = context;
  /** Selects the sessions of a check that ended with a verdict, newest first. */
  const selectEnded = (checkId: string) =>
    db
      .selectFrom('check_sessions')
      .select(['id', 'locations', 'started_at as startedAt', 'stopped_at as stoppedAt'])
      .where('check_id', '=', checkId)
      .where('test_session_id', 'is', null)
      .where('status', 'in', ['PASSED', 'DEGRADED', 'FAILED'])
      .orderBy('started_at', 'desc');
  async function withFinals(
    sessions: readonly (Omit<EndedSessionRecord, 'finals'> & { readonly id: string })[],
  ): Promise<EndedSessionRecord[]> {
    if (sessions.length === 0) return [];
    const ids = sessions.map(({ id }) => id);
    const finals = await db
      .selectFrom('results')
      .select(['session_id', ...FLAGS])
      .where('session_id', 'in', ids)
      .where('result_type', '=', 'FINAL')
      .execute();
    return sessions.map(({ id, ...session }) => ({
      ...session,
      finals: finals.filter(({ session_id }) => session_id === id),
    }));
  }
  return {
    /** Returns the checks, of those given, that have a state. */
    async withState(checkIds: readonly string[]): Promise<string[]> {
      if (checkIds.length === 0) return [];
      return (await selectWithState(context, checkIds)).map(({ check_id }) => check_id);
    },
    /** Reads the state of a check, and locks it until the transaction ends. Without a row, it inserts the given state. */
    async lock({
      checkId,
      accountId,
      state,
    }: Omit<AlertStateRecord, 'dueAt' | 'heldUntil'>): Promise<AlertStateRecord> {
      await db
        .insertInto('alert_states')
        .values({ check_id: checkId, account_id: accountId, state, due_at: null })
        .onConflict((conflict) => conflict.column('check_id').doNothing())
        .execute();
      return db
        .updateTable('alert_states')
        .set({ state: sql<string>`state` })
        .where('check_id', '=', checkId)
        .returning([
          'check_id as checkId',
          'account_id as accountId',
          'state',
          'due_at as dueAt',
          'held_until as heldUntil',
        ])
        .executeTakeFirstOrThrow();
    },
    /** Returns the state of a check; undefined if it has the initial one. */
    find: (checkId: string): Promise<{ readonly state: string } | undefined> =>
      db.selectFrom('alert_states').select('state').where('check_id', '=', checkId).executeTakeFirst(),
    /** Returns the checks that have a state or an incident: of these checks, of this group, or of the account. */
    async withOpenAlerts({
      accountId,
      checkIds,
      groupId,
    }: {
      readonly accountId: string;
      readonly checkIds?: readonly string[];
      readonly groupId?: number;
    }): Promise<string[]> {
      const found = new Set<string>();
      for (const table of ['alert_states', 'automatic_incidents'] as const) {
        let query = db.selectFrom(table).select('check_id').where('account_id', '=', accountId);
        if (checkIds !== undefined) query = query.where('check_id', 'in', checkIds);
        if (groupId !== undefined)
          query = query.where('check_id', 'in', (from) =>
            from.selectFrom('checks').select('id').where('group_id', '=', groupId),
          );
        for (const { check_id } of await query.orderBy('check_id').execute()) found.add(check_id);
      }
      return [...found];
    },
    /** Replaces the state of a check, whose due times stay. */
    async setState(checkId: string, state: string): Promise<void> {
      await db.updateTable('alert_states').set({ state }).where('check_id', '=', checkId).execute();
    },
    async write({ checkId, state, dueAt, heldUntil }: Omit<AlertStateRecord, 'accountId'>): Promise<void> {
      const query = db.updateTable('alert_states').set({ state, due_at: dueAt, held_until: heldUntil });
      await query.where('check_id', '=', checkId).execute();
    },
    async delete(checkId: string): Promise<void> {
      await db.deleteFrom('alert_states').where('check_id', '=', checkId).execute();
    },
    /** Returns the checks with a due reminder or escalation, longest due first. */
    due: (now: number, limit: number): Promise<{ checkId: string; accountId: string }[]> =>
      db
        .selectFrom('alert_states')
        .select(['check_id as checkId', 'account_id as accountId'])
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .execute(),
    async nextInstant(): Promise<number | null> {
      const query = db.selectFrom('alert_states').select((to) => to.fn.min('due_at').as('due'));
      return (await query.executeTakeFirst())?.due ?? null;
    },
    /**
     * Returns up to 100 sessions of a check that started after an instant and ended with a verdict, newest first. `except`
     * excludes sessions that end in the same transaction and are not evaluated yet.
     */
    async newer(
      checkId: string,
      startedAt: number,
      except: readonly string[],
    ): Promise<EndedSessionRecord[]> {
      let query = selectEnded(checkId).where('started_at', '>', startedAt);
      if (except.length > 0) query = query.where('id', 'not in', except);
      return withFinals(await query.limit(MAX_NEWER_SESSIONS).execute());
    },
    /** Returns the latest sessions of a check that ended with a verdict, newest first. */
    recent: async (checkId: string, limit: number): Promise<EndedSessionRecord[]> =>
      withFinals(await selectEnded(checkId).limit(limit).execute()),
  };
}
