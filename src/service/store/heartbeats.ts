/** Stores heartbeats: the token of the ping URL, the last ping, and when the next ping is overdue. */
import { type Selectable, sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { makeToken } from './secrets.ts';
import type { CheckTypeTables } from './tables/check-types.ts';

/** A heartbeat. Instants and durations in ms. */
export interface HeartbeatRecord {
  readonly checkId: string;
  readonly accountId: string;
  readonly token: string;
  /** WAITING until the first ping. */
  readonly state: 'WAITING' | 'UP' | 'DOWN';
  readonly periodMs: number;
  readonly graceMs: number;
  readonly lastPingAt: number | null;
  /** Null while WAITING. */
  readonly dueAt: number | null;
  /** When its last result was recorded. */
  readonly recordedAt: number | null;
}

/** The fields that change over time. */
export type HeartbeatProgress = Pick<HeartbeatRecord, 'state' | 'lastPingAt' | 'dueAt' | 'recordedAt'>;

function heartbeatFrom(row: Selectable<CheckTypeTables['heartbeats']>): HeartbeatRecord {
  return {
    checkId: row.check_id,
    accountId: row.account_id,
    token: row.token,
    state: row.state as HeartbeatRecord['state'],
    periodMs: row.period_ms,
    graceMs: row.grace_ms,
    lastPingAt: row.last_ping_at,
    dueAt: row.due_at,
    recordedAt: row.recorded_at,
  };
}

const WATCHED_UNTIL = 'heartbeats-watched-until';

export function heartbeats({ db, dialect }: StoreContext) {
  const all = () => db.selectFrom('heartbeats').selectAll();
  /** Locks the rows until the transaction ends. */
  const locked = (query: ReturnType<typeof all>) => (dialect === 'postgres' ? query.forUpdate() : query);
  return {
    /** Creates the ping URL of a check. */
    async create(accountId: string, checkId: string, times: { periodMs: number; graceMs: number }) {
      const row = {
        check_id: checkId,
        account_id: accountId,
        token: makeToken(),
        state: 'WAITING',
        period_ms: times.periodMs,
        grace_ms: times.graceMs,
        last_ping_at: null,
        due_at: null,
        recorded_at: null,
      };
      await db.insertInto('heartbeats').values(row).execute();
    },
    /** Sets the period and the grace time, and moves the pending deadline accordingly. */
    async setTimes(checkId: string, { periodMs, graceMs }: { periodMs: number; graceMs: number }) {
      await db
        .updateTable('heartbeats')
        .set({
          period_ms: periodMs,
          grace_ms: graceMs,
          due_at: sql<number>`due_at - period_ms - grace_ms + cast(${periodMs + graceMs} as bigint)`,
        })
        .where('check_id', '=', checkId)
        .where(({ or, eb }) => or([eb('period_ms', '<>', periodMs), eb('grace_ms', '<>', graceMs)]))
        .execute();
    },
    async byChecks(checkIds: readonly string[]): Promise<HeartbeatRecord[]> {
      if (checkIds.length === 0) return [];
      return (await all().where('check_id', 'in', checkIds).execute()).map(heartbeatFrom);
    },
    /** Returns the heartbeat of a check; locks it within a transaction. */
    async byCheck(checkId: string): Promise<HeartbeatRecord | undefined> {
      const row = await locked(all().where('check_id', '=', checkId)).executeTakeFirst();
      return row && heartbeatFrom(row);
    },
    /** Returns the heartbeat with the token; locks it within a transaction. */
    async byToken(token: string): Promise<HeartbeatRecord | undefined> {
      const row = await locked(all().where('token', '=', token)).executeTakeFirst();
      return row && heartbeatFrom(row);
    },
    /** Returns overdue heartbeats, longest overdue first; locks them within a transaction. */
    async due(now: number, limit: number): Promise<HeartbeatRecord[]> {
      const query = locked(all().where('due_at', '<=', now).orderBy('due_at').limit(limit));
      return (await query.execute()).map(heartbeatFrom);
    },
    /** Returns heartbeats with a pending deadline, in the order of check IDs, after a check ID. */
    async withDeadline(after: string, limit: number): Promise<HeartbeatRecord[]> {
      const query = locked(all().where('due_at', 'is not', null).where('check_id', '>', after));
      return (await query.orderBy('check_id').limit(limit).execute()).map(heartbeatFrom);
    },
    /** Returns the earliest deadline; null if no heartbeat has one. */
    async nextDue(): Promise<number | null> {
      const row = await db
        .selectFrom('heartbeats')
        .select('due_at')
        .where('due_at', 'is not', null)
        .orderBy('due_at')
        .limit(1)
        .executeTakeFirst();
      return row?.due_at ?? null;
    },
    /** Returns when a service last searched for overdue heartbeats; null if never. */
    async lastSearch(): Promise<number | null> {
      const row = await db
        .selectFrom('service_settings')
        .select('value')
        .where('name', '=', WATCHED_UNTIL)
        .executeTakeFirst();
      return row === undefined ? null : Number(row.value);
    },
    /** Records a search for overdue heartbeats, if there are any heartbeats. */
    async recordSearch(now: number): Promise<void> {
      const any = await db.selectFrom('heartbeats').select('check_id').limit(1).executeTakeFirst();
      if (any === undefined) return;
      const value = String(now);
      await db
        .insertInto('service_settings')
        .values({ name: WATCHED_UNTIL, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    async update(
      checkId: string,
      { state, lastPingAt, dueAt, recordedAt }: HeartbeatProgress,
    ): Promise<void> {
      await db
        .updateTable('heartbeats')
        .set({ state, last_ping_at: lastPingAt, due_at: dueAt, recorded_at: recordedAt })
        .where('check_id', '=', checkId)
        .execute();
    },
  };
}
