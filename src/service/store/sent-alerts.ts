/** Lists alerts. The outbox has a message for each channel of an alert. */
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from './context.ts';

/** Selects alerts; instants in ms, `from` inclusive, `to` exclusive. */
export interface SentAlertFilter {
  readonly accountId: string;
  readonly checkId?: string | undefined;
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  readonly offset: number;
}

export interface SentAlert {
  /** UUID. */
  readonly id: string;
  readonly checkId: string;
  readonly type: string;
  readonly createdAt: number;
  /** JSON: the run that caused it; null: none. */
  readonly run: string | null;
}

const PREFIX = 'alert-';
const UUID_LENGTH = 36;

/** Returns the ID of the alert of a message with this idempotency key. */
export const alertIdOf = (key: string): string => key.slice(PREFIX.length, PREFIX.length + UUID_LENGTH);

/** Returns the idempotency key of the message of an alert to a channel, which begins with the ID of the alert. */
export const alertKey = (alertId: string, channelId: number): string => `${PREFIX}${alertId}-${channelId}`;

export function sentAlerts({ db }: StoreContext) {
  return {
    /** Lists alerts, newest first. */
    async list({ accountId, checkId, from, to, limit, offset }: SentAlertFilter): Promise<SentAlert[]> {
      const alertId = sql<string>`substr(idempotency_key, ${sql.lit(PREFIX.length + 1)}, ${sql.lit(UUID_LENGTH)})`;
      const byCheck = (column: string) =>
        checkId === undefined
          ? sql<SqlBool>`${sql.ref(column)} is not null`
          : sql<SqlBool>`${sql.ref(column)} = ${checkId}`;
      const inTime = db
        .selectFrom('outbox')
        .where('account_id', '=', accountId)
        .where('outbox.alert_type', 'is not', null)
        .where('created_at', '>=', from)
        .where('created_at', '<', to);
      const alone = inTime
        .select([alertId.as('alert_id'), 'check_id', 'alert_type', 'run', 'created_at', 'id'])
        .where(byCheck('check_id'));
      const bundled = inTime
        .innerJoin('bundled_alerts as part', 'part.message_id', 'outbox.id')
        .select([
          'part.alert_id',
          'part.check_id',
          'part.alert_type',
          'part.run',
          'outbox.created_at',
          'outbox.id',
        ])
        .where(byCheck('part.check_id'));
      const rows = await db
        .selectFrom(alone.unionAll(bundled).as('sent'))
        .select(['alert_id', 'check_id', 'alert_type'])
        // All messages of an alert have the same run.
        .select(({ fn }) => [fn.min('created_at').as('first_at'), fn.min('run').as('run')])
        .groupBy(['alert_id', 'check_id', 'alert_type'])
        .orderBy(sql`first_at`, 'desc')
        .orderBy(sql`min(id)`, 'desc')
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map((row) => ({
        id: row.alert_id,
        checkId: row.check_id ?? '',
        type: row.alert_type ?? '',
        createdAt: Number(row.first_at),
        run: row.run,
      }));
    },
  };
}
