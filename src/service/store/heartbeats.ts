/** Stores heartbeats: the token of the ping URL, the last ping, and when the next ping is overdue. */
import { randomUUID } from 'node:crypto';
import { type Selection, sql } from 'kysely';
import type { Database, StoreContext } from './context.ts';
import { readSetting, writeSetting } from './settings.ts';

const COLUMNS = [
  'check_id as checkId',
  'account_id as accountId',
  'token',
  'state',
  'period_ms as periodMs',
  'grace_ms as graceMs',
  'last_ping_at as lastPingAt',
  'due_at as dueAt',
  'recorded_at as recordedAt',
] as const;

/** A heartbeat. Instants and durations in ms. */
export type HeartbeatRecord = Readonly<Selection<Database, 'heartbeats', (typeof COLUMNS)[number]>>;

/** The fields that change over time. */
export type HeartbeatProgress = Pick<HeartbeatRecord, 'state' | 'lastPingAt' | 'dueAt' | 'recordedAt'>;

const WATCHED_UNTIL = 'heartbeats-watched-until';

export function heartbeats({ db, dialect }: StoreContext) {
  const all = () => db.selectFrom('heartbeats').select(COLUMNS);
  /** Locks the rows until the transaction ends. */
  const locked = (query: ReturnType<typeof all>) => (dialect === 'postgres' ? query.forUpdate() : query);
  return {
    /**
     * Creates the ping URL of a check. Without a token it gets a random UUID.
     * @throws StoreConflict (`unique`) if another check has the token.
     */
    async create(
      accountId: string,
      checkId: string,
      times: { periodMs: number; graceMs: number },
      token: string = randomUUID(),
    ) {
      const row = {
        check_id: checkId,
        account_id: accountId,
        token,
        state: 'WAITING' as const,
        period_ms: times.periodMs,
        grace_ms: times.graceMs,
        last_ping_at: null,
        due_at: null,
        recorded_at: null,
      };
      await db.insertInto('heartbeats').values(row).execute();
    },
    /** Replaces the token of the ping URL. @throws StoreConflict (`unique`) if another check has it. */
    async setToken(checkId: string, token: string) {
      await db.updateTable('heartbeats').set({ token }).where('check_id', '=', checkId).execute();
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
    byChecks: async (checkIds: readonly string[]): Promise<HeartbeatRecord[]> =>
      checkIds.length === 0 ? [] : all().where('check_id', 'in', checkIds).execute(),
    /** Returns the heartbeat of a check; locks it within a transaction. */
    byCheck: (checkId: string): Promise<HeartbeatRecord | undefined> =>
      locked(all().where('check_id', '=', checkId)).executeTakeFirst(),
    /** Returns the heartbeat with the token; locks it within a transaction. */
    byToken: (token: string): Promise<HeartbeatRecord | undefined> =>
      locked(all().where('token', '=', token)).executeTakeFirst(),
    /** Returns overdue heartbeats, longest overdue first; locks them within a transaction. */
    due: (now: number, limit: number): Promise<HeartbeatRecord[]> =>
      locked(all().where('due_at', '<=', now).orderBy('due_at').limit(limit)).execute(),
    /** Returns heartbeats with a pending deadline, in the order of check IDs, after a check ID. */
    withDeadline: (after: string, limit: number): Promise<HeartbeatRecord[]> =>
      locked(all().where('due_at', 'is not', null).where('check_id', '>', after))
        .orderBy('check_id')
        .limit(limit)
        .execute(),
    /** Returns the earliest deadline; null if no heartbeat has one. */
    async nextDue(): Promise<number | null> {
      const query = db.selectFrom('heartbeats').select('due_at').where('due_at', 'is not', null);
      return (await query.orderBy('due_at').limit(1).executeTakeFirst())?.due_at ?? null;
    },
    /** Returns when a service last searched for overdue heartbeats; null if never. */
    async lastSearch(): Promise<number | null> {
      const value = await readSetting(db, WATCHED_UNTIL);
      return value === undefined ? null : Number(value);
    },
    /** Records a search for overdue heartbeats, if there are any heartbeats. */
    async recordSearch(now: number): Promise<void> {
      const any = await db.selectFrom('heartbeats').select('check_id').limit(1).executeTakeFirst();
      if (any !== undefined) await writeSetting(db, WATCHED_UNTIL, String(now));
    },
    async update(
      checkId: string,
      { state, lastPingAt, dueAt, recordedAt }: HeartbeatProgress,
    ): Promise<void> {
      const query = db.updateTable('heartbeats').where('check_id', '=', checkId);
      await query.set({ state, last_ping_at: lastPingAt, due_at: dueAt, recorded_at: recordedAt }).execute();
    },
  };
}
