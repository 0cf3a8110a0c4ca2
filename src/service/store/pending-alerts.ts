/** Stores alerts that wait for others of their group or service, and which alerts a sent message contains. */
import { sql } from 'kysely';
import { isActiveCheck } from './active-check.ts';
import { toColumns } from './bundle-members.ts';
import type { StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';

/** The alerts of a group or service of an account for one channel: they share a message. */
export interface BundleKey {
  readonly accountId: string;
  readonly channelId: number;
  /** `group/ID` or `service/ID`. */
  readonly bundle: string;
}

export interface NewPendingAlert extends BundleKey {
  readonly checkId: string;
  /** JSON. */
  readonly alert: string;
  readonly dueAt: number;
}

export interface BundledAlert {
  readonly checkId: string;
  readonly alertId: string;
  readonly alertType: string;
  /** JSON: the run that caused it; null: none. */
  readonly run: string | null;
}

const selectOpen = prepareStatement((db, limit: number) =>
  db
    .selectFrom('pending_alerts')
    .select(({ fn }) => [
      'account_id as accountId',
      'bundle',
      'channel_id as channelId',
      fn.min('created_at').as('since'),
      fn.min('due_at').as('dueAt'),
    ])
    .groupBy(['account_id', 'bundle', 'channel_id'])
    .orderBy('dueAt')
    .limit(limit),
);

export function pendingAlerts(context: StoreContext) {
  const { db, clock } = context;
  return {
    async add({ accountId, channelId, bundle, checkId, alert, dueAt }: NewPendingAlert): Promise<void> {
      const row = { account_id: accountId, channel_id: channelId, bundle, check_id: checkId, alert };
      await db
        .insertInto('pending_alerts')
        .values({ ...row, created_at: clock.now(), due_at: dueAt })
        .execute();
    },
    /** Returns the bundles with waiting alerts, the first due first. `since`: when the first of them was added. */
    open: (limit: number): Promise<(BundleKey & { readonly since: number; readonly dueAt: number })[]> =>
      selectOpen(context, limit),
    async hasOpen(): Promise<boolean> {
      return (await this.open(1)).length > 0;
    },
    /** Removes the alerts of a bundle, and returns them in the order in which they were added. */
    async take({ accountId, bundle, channelId }: BundleKey): Promise<string[]> {
      const rows = await db
        .deleteFrom('pending_alerts')
        .where('account_id', '=', accountId)
        .where('bundle', '=', bundle)
        .where('channel_id', '=', channelId)
        .returning(['id', 'alert'])
        .execute();
      return rows.sort((one, other) => one.id - other.id).map(({ alert }) => alert);
    },
    async nextInstant(): Promise<number | null> {
      const query = db.selectFrom('pending_alerts').select(({ fn }) => fn.min('due_at').as('due'));
      return (await query.executeTakeFirst())?.due ?? null;
    },
    /**
     * Returns whether an active check of the group or service has neither ended a run that started since an instant nor a
     * waiting alert of the bundle. Heartbeats do not count, because they wait for pings.
     */
    async awaitsReports({ accountId, bundle, channelId }: BundleKey, since: number): Promise<boolean> {
      const { rows } = await sql<{ id: string }>`select checks.id from checks
        where checks.account_id = ${accountId} and ${toColumns(bundle)}
          and ${isActiveCheck('checks')} and checks.type <> 'HEARTBEAT'
          and not exists (
            select 1 from check_sessions where check_sessions.check_id = checks.id
              and check_sessions.started_at >= ${since} and check_sessions.stopped_at is not null
              and check_sessions.test_session_id is null
          )
          and not exists (
            select 1 from pending_alerts where pending_alerts.account_id = ${accountId}
              and pending_alerts.bundle = ${bundle} and pending_alerts.channel_id = ${channelId}
              and pending_alerts.check_id = checks.id
          )
        limit 1`.execute(db);
      return rows.length > 0;
    },
    /** Records which alerts the message with an idempotency key contains. */
    async recordMessage(key: string, alerts: readonly BundledAlert[]): Promise<void> {
      const query = db.selectFrom('outbox').select('id').where('idempotency_key', '=', key);
      const { id } = await query.executeTakeFirstOrThrow();
      const rows = alerts.map(({ checkId, alertId, alertType, run }) => ({
        message_id: id,
        check_id: checkId,
        alert_id: alertId,
        alert_type: alertType,
        run,
      }));
      await db.insertInto('bundled_alerts').values(rows).execute();
    },
    /** Returns the checks of each message with several alerts. */
    async checksOf(messageIds: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
      const checks = new Map<number, string[]>();
      if (messageIds.length === 0) return checks;
      const rows = await db
        .selectFrom('bundled_alerts')
        .select(['message_id', 'check_id'])
        .where('message_id', 'in', messageIds)
        .orderBy('check_id')
        .execute();
      for (const { message_id: id, check_id: checkId } of rows)
        checks.set(id, [...(checks.get(id) ?? []), checkId]);
      return checks;
    },
  };
}
