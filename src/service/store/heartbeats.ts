/** Stores heartbeats: the token of the ping URL, the last ping, and when the next ping is overdue. */
import { randomUUID } from 'node:crypto';
import type { Selection } from 'kysely';
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
  'job',
  'cron',
  'timezone',
] as const;
type Row = Readonly<Selection<Database, 'heartbeats', (typeof COLUMNS)[number]>>;

/** A run of the monitored job that has started and not ended. Instants in ms. */
export interface JobRun {
  /** The ID that the job gave it; null: none. */
  readonly id: string | null;
  readonly startedAt: number;
  /** When it is overdue; null: its absence is already recorded. */
  readonly dueAt: number | null;
}

/** The signals of a job since its last result. */
export interface Job {
  readonly runs: readonly JobRun[];
  /** The text of its log pings. */
  readonly log: string;
}

export const IDLE_JOB: Job = { runs: [], log: '' };

/** A heartbeat. Instants and durations in ms. */
export type HeartbeatRecord = Omit<Row, 'job'> & { readonly job: Job };

/** The fields that change over time. */
export type HeartbeatProgress = Pick<
  HeartbeatRecord,
  'state' | 'lastPingAt' | 'dueAt' | 'recordedAt' | 'job'
>;

/** When a ping is expected: once a period, or at the times of a cron expression. */
export type HeartbeatSchedule = Pick<HeartbeatRecord, 'periodMs' | 'graceMs' | 'cron' | 'timezone'>;

/** Returns when the first run is overdue; null if none is. */
export function runDueAt({ runs }: Job): number | null {
  const due = runs.flatMap(({ dueAt }) => dueAt ?? []);
  return due.length === 0 ? null : Math.min(...due);
}

const recordFrom = ({ job, ...row }: Row): HeartbeatRecord => ({
  ...row,
  job: job === null ? IDLE_JOB : (JSON.parse(job) as Job),
});
const recordOf = (row: Row | undefined): HeartbeatRecord | undefined => row && recordFrom(row);

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
      { periodMs, graceMs, cron, timezone }: HeartbeatSchedule,
      token: string = randomUUID(),
    ) {
      const row = {
        check_id: checkId,
        account_id: accountId,
        token,
        state: 'WAITING' as const,
        period_ms: periodMs,
        grace_ms: graceMs,
        last_ping_at: null,
        due_at: null,
        recorded_at: null,
        job: null,
        run_due_at: null,
        cron,
        timezone,
      };
      await db.insertInto('heartbeats').values(row).execute();
    },
    /** Replaces the token of the ping URL. @throws StoreConflict (`unique`) if another check has it. */
    async setToken(checkId: string, token: string) {
      await db.updateTable('heartbeats').set({ token }).where('check_id', '=', checkId).execute();
    },
    /** Sets when pings are expected, and the pending deadline. */
    async setSchedule(
      checkId: string,
      { periodMs, graceMs, cron, timezone }: HeartbeatSchedule,
      dueAt: number | null,
    ) {
      await db
        .updateTable('heartbeats')
        .set({ period_ms: periodMs, grace_ms: graceMs, cron, timezone, due_at: dueAt })
        .where('check_id', '=', checkId)
        .execute();
    },
    byChecks: async (checkIds: readonly string[]): Promise<HeartbeatRecord[]> =>
      checkIds.length === 0 ? [] : (await all().where('check_id', 'in', checkIds).execute()).map(recordFrom),
    /** Returns the heartbeat of a check; locks it within a transaction. */
    byCheck: async (checkId: string): Promise<HeartbeatRecord | undefined> =>
      recordOf(await locked(all().where('check_id', '=', checkId)).executeTakeFirst()),
    /** Returns the heartbeat with the token; locks it within a transaction. */
    byToken: async (token: string): Promise<HeartbeatRecord | undefined> =>
      recordOf(await locked(all().where('token', '=', token)).executeTakeFirst()),
    /** Returns heartbeats with an overdue ping or run, longest overdue first; locks them within a transaction. */
    async due(now: number, limit: number): Promise<HeartbeatRecord[]> {
      const isDue = all().where(({ or, eb }) => or([eb('due_at', '<=', now), eb('run_due_at', '<=', now)]));
      return (await locked(isDue.orderBy('due_at').limit(limit)).execute()).map(recordFrom);
    },
    /** Returns heartbeats with a pending deadline, in the order of check IDs, after a check ID. */
    async withDeadline(after: string, limit: number): Promise<HeartbeatRecord[]> {
      const waiting = all().where(({ or, eb }) =>
        or([eb('due_at', 'is not', null), eb('run_due_at', 'is not', null)]),
      );
      const page = waiting.where('check_id', '>', after).orderBy('check_id').limit(limit);
      return (await locked(page).execute()).map(recordFrom);
    },
    /** Returns the earliest deadline; null if no heartbeat has one. */
    async nextDue(): Promise<number | null> {
      const first = async (column: 'due_at' | 'run_due_at') => {
        const query = db.selectFrom('heartbeats').select(`${column} as at`).where(column, 'is not', null);
        return (await query.orderBy(column).limit(1).executeTakeFirst())?.at ?? Number.POSITIVE_INFINITY;
      };
      const next = Math.min(await first('due_at'), await first('run_due_at'));
      return next === Number.POSITIVE_INFINITY ? null : next;
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
    async update(checkId: string, progress: HeartbeatProgress): Promise<void> {
      const { state, lastPingAt, dueAt, recordedAt, job } = progress;
      const isIdle = job.runs.length === 0 && job.log === '';
      const query = db.updateTable('heartbeats').where('check_id', '=', checkId);
      await query
        .set({
          ...{ state, last_ping_at: lastPingAt, due_at: dueAt, recorded_at: recordedAt },
          ...{ job: isIdle ? null : JSON.stringify(job), run_due_at: runDueAt(job) },
        })
        .execute();
    },
  };
}
