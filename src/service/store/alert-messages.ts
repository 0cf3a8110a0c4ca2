/** Selects the messages of the outbox that are alerts. */
import { type SqlBool, sql } from 'kysely';
import type { Executor } from './context.ts';
import { isValidId } from './documents.ts';

export type OutboxState = 'QUEUED' | 'SENDING' | 'SENT' | 'FAILED';

export interface OutboxFilter {
  readonly accountId: string;
  readonly limit: number;
  readonly after?: string | undefined;
  readonly state?: OutboxState | undefined;
  readonly checkId?: string | undefined;
  readonly channelId?: number | undefined;
  /** Whether sending failed for good. */
  readonly hasFailed?: boolean | undefined;
  /** Created in this time, ms since the epoch; `to` is excluded. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly offset?: number | undefined;
}

// A literal, not a parameter: SQLite uses a partial index only if the statement repeats its condition.
const isNotSent = sql<SqlBool>`state <> 'SENT'`;

export type AlertFilter = Omit<OutboxFilter, 'limit' | 'after' | 'offset'>;

/** Selects the alerts of an account that pass a filter. */
export function selectAlerts(
  db: Executor,
  { accountId, state, checkId, channelId, hasFailed, from, to }: AlertFilter,
) {
  let query = db.selectFrom('outbox').where('account_id', '=', accountId).where('alert_type', 'is not', null);
  if (state !== undefined) query = query.where('state', '=', state);
  if (state !== undefined && state !== 'SENT') query = query.where(isNotSent);
  if (hasFailed === true) query = query.where('state', '=', 'FAILED').where(isNotSent);
  if (hasFailed === false) query = query.where('state', '<>', 'FAILED');
  if (checkId !== undefined)
    // Not by "or", for which SQLite would read all alerts of the account.
    query = query.where('id', 'in', ({ selectFrom }) =>
      selectFrom('outbox as alone')
        .select('alone.id')
        .where('alone.account_id', '=', accountId)
        .where('alone.alert_type', 'is not', null)
        .where('alone.check_id', '=', checkId)
        .unionAll(selectFrom('bundled_alerts').select('message_id as id').where('check_id', '=', checkId)),
    );
  if (channelId !== undefined) {
    query = isValidId(channelId)
      ? query.where('channel_id', '=', channelId)
      : query.where(sql<boolean>`1 = 0`);
  }
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<', to);
  return query;
}
