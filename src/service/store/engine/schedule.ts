/** Stores the schedule: due checks, their next ticks, and missed ticks. */
import { type Insertable, type Selection, type SqlBool, sql } from 'kysely';
import { type CheckRecord, checkFrom } from '../checks.ts';
import type { Database, Executor, StoreContext } from '../context.ts';
import { prepareSql, prepareStatement, splitIntoChunks } from '../prepared-statements.ts';
import type { MissedTicksRow } from '../tables/engine.ts';
import { isQueued, isRunning } from './leases.ts';

const MISSED_COLUMNS = [
  'account_id as accountId',
  'check_id as checkId',
  'first_tick as first',
  'last_tick as last',
  'ticks',
] as const;

/** Ticks during which no service was running; instants in ms since the epoch. */
export type MissedTicks = Readonly<Selection<Database, 'missed_ticks', (typeof MISSED_COLUMNS)[number]>>;

/**
 * The next instants of interest, in ms since the epoch; null if none. `tick`: of a check. `due`, `later`: of attempts of the
 * pool, until now and after it. `dropped`, `lapsed`: the claim deadline and the lease end of an attempt. `deadline`: of a session.
 */
export type Upcoming = Readonly<
  Record<'tick' | 'due' | 'later' | 'dropped' | 'lapsed' | 'deadline', number | null>
>;

/** Runs twice for every step of the scheduler. */
const selectUpcoming = prepareStatement((db, pool: string, now: number) => {
  const queued = () => db.selectFrom('runs').where(isQueued);
  const pooled = () => queued().select('not_before').where('pool', '=', pool).orderBy('not_before').limit(1);
  return db.selectNoFrom([
    db
      .selectFrom('checks')
      .where('activated', '=', 1)
      .select('next_run_at')
      .where('next_run_at', 'is not', null)
      .orderBy('next_run_at')
      .limit(1)
      .as('tick'),
    pooled().where('not_before', '<=', now).as('due'),
    pooled().where('not_before', '>', now).as('later'),
    queued().select('claim_by').orderBy('claim_by').limit(1).as('dropped'),
    db.selectFrom('runs').select('lease_until').where(isRunning).orderBy('lease_until').limit(1).as('lapsed'),
    db
      .selectFrom('check_sessions')
      .select('ends_by')
      .where('ends_by', 'is not', null)
      .orderBy('ends_by')
      .limit(1)
      .as('deadline'),
  ]);
});

const dueChecks = (db: Executor, now: number, limit: number) =>
  db
    .selectFrom('checks')
    .selectAll()
    .where('activated', '=', 1)
    .where('next_run_at', '<=', now)
    .orderBy('next_run_at')
    .limit(limit);
const selectDue = prepareStatement(dueChecks);
// Concurrent services claim different checks without waiting for each other.
const lockDue = prepareStatement((db, now: number, limit: number) =>
  dueChecks(db, now, limit).forNoKeyUpdate().skipLocked(),
);

// Rows are locked in the order of their IDs to avoid deadlocks.
const incrementCursor = (db: Executor) =>
  db
    .updateTable('checks')
    .set((set) => ({ location_cursor: set('location_cursor', '+', 1) }))
    .returning(['id', 'location_cursor']);
const advanceCursorsOnPostgres = prepareStatement((db, ids: readonly string[]) =>
  incrementCursor(db).where('id', 'in', (from) =>
    from.selectFrom('checks').select('id').where('id', 'in', ids).orderBy('id').forNoKeyUpdate(),
  ),
);
const advanceCursorsOnSqlite = prepareStatement((db, ids: readonly string[]) =>
  incrementCursor(db).where('id', 'in', ids),
);

// Here and below, the operations on the list's columns (`|| ''`, `+ 0`) stop SQLite from scanning all checks and searching
// the list for each.
const advanceTicks = prepareSql((ticks: readonly { id: string; from: number; to: number }[]) => {
  const rows = ticks.map(({ id, from, to }) => sql`(${id}, cast(${from} as bigint), cast(${to} as bigint))`);
  return sql<{ id: string }>`
    with taking (id, seen, next) as (values ${sql.join(rows)})
    update checks set next_run_at = taking.next from taking
    where checks.id = taking.id || '' and checks.next_run_at = taking.seen + 0
    returning checks.id as id`;
});

const setFirstTicks = prepareSql((ticks: readonly { id: string; to: number }[]) => {
  const rows = ticks.map(({ id, to }) => sql`(${id}, cast(${to} as bigint))`);
  return sql`
    with arming (id, next) as (values ${sql.join(rows)})
    update checks set next_run_at = arming.next from arming
    where checks.id = arming.id || '' and checks.next_run_at is null and checks.activated = 1`;
});

const insertMissed = prepareStatement((db, rows: readonly Insertable<MissedTicksRow>[]) =>
  db.insertInto('missed_ticks').values(rows),
);

export function schedule(context: StoreContext) {
  const { db, dialect, clock } = context;
  const active = () => db.selectFrom('checks').where('activated', '=', 1);
  return {
    /**
     * Returns the activated checks with a due tick, longest due first. On Postgres it locks them until the transaction ends, and
     * skips locked ones.
     */
    async due(now: number, limit: number): Promise<CheckRecord[]> {
      const rows = await (dialect === 'postgres' ? lockDue : selectDue)(context, now, limit);
      return rows.map(checkFrom);
    },
    /** Returns activated checks without a next tick, because a process ended before it scheduled them. */
    async unscheduled(limit: number): Promise<CheckRecord[]> {
      const query = active().selectAll().where('next_run_at', 'is', null);
      // Heartbeats have no ticks.
      return (await query.where('type', '<>', 'HEARTBEAT').limit(limit).execute()).map(checkFrom);
    },
    async check(id: string): Promise<CheckRecord | undefined> {
      const row = await db.selectFrom('checks').selectAll().where('id', '=', id).executeTakeFirst();
      return row && checkFrom(row);
    },
    /** Claims a tick by setting the next one; false if it was already claimed. */
    async advance(id: string, from: number | null, to: number | null): Promise<boolean> {
      const query = db.updateTable('checks').set({ next_run_at: to }).where('id', '=', id);
      const seen =
        from === null ? query.where('next_run_at', 'is', null) : query.where('next_run_at', '=', from);
      return (await seen.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Claims ticks like `advance`, in one statement; returns the IDs of the checks whose tick was not claimed before. */
    async advanceAll(ticks: readonly { id: string; from: number; to: number }[]): Promise<Set<string>> {
      if (ticks.length === 0) return new Set();
      return new Set((await advanceTicks(context, ticks)).map(({ id }) => id));
    },
    /** Sets the first tick of checks without one; does not change existing ticks. */
    async setFirstTicks(ticks: readonly { id: string; to: number }[]): Promise<void> {
      if (ticks.length === 0) return;
      await setFirstTicks(context, ticks);
    },
    /** Advances the location cursor of checks; returns the previous values. */
    async advanceLocations(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
      if (ids.length === 0) return new Map();
      const rows = await (dialect === 'postgres' ? advanceCursorsOnPostgres : advanceCursorsOnSqlite)(
        context,
        ids,
      );
      return new Map(rows.map((row) => [row.id, row.location_cursor - 1]));
    },
    /** Returns the next instants of interest in one statement. */
    async upcoming(pool: string, now: number): Promise<Upcoming> {
      const [row] = await selectUpcoming(context, pool, now);
      if (row === undefined) throw new Error('the store says nothing of what comes next');
      return row;
    },
    async recordMissed(gaps: readonly MissedTicks[]): Promise<void> {
      const recordedAt = clock.now();
      const rows = gaps.map(({ accountId, checkId, first, last, ticks }) => ({
        account_id: accountId,
        check_id: checkId,
        first_tick: first,
        last_tick: last,
        ticks,
        recorded_at: recordedAt,
      }));
      for (const some of splitIntoChunks(rows)) await insertMissed(context, some);
    },
    /** Returns the delays between the tick and the first attempt of the sessions scheduled in [from, to), in ms. */
    async startDelays(from: number, to: number): Promise<number[]> {
      const rows = await db
        .selectFrom('check_sessions')
        .innerJoin('results', 'results.session_id', 'check_sessions.id')
        .select(['results.started_at as began', 'check_sessions.scheduled_at as tick'])
        .where('check_sessions.scheduled_at', '>=', from)
        .where('check_sessions.scheduled_at', '<', to)
        .where('results.attempt', '=', 0)
        .execute();
      return rows.map(({ began, tick }) => began - (tick ?? began));
    },
    /** Returns checks whose next tick is more than their period away: the clock was ahead when it was set. */
    async tooFarAhead(now: number, limit: number): Promise<CheckRecord[]> {
      const query = active()
        .selectAll()
        .where(
          sql<SqlBool>`next_run_at > cast(${now} as bigint)
            + case frequency when 0 then coalesce(frequency_offset, 30) * 1000 else frequency * 60000 end`,
        );
      return (await query.limit(limit).execute()).map(checkFrom);
    },
    /** Deletes missed ticks from `from` on, which are in the future after the clock was set back. */
    async deleteMissed(checkId: string, from: number, period: number): Promise<void> {
      await db
        .deleteFrom('missed_ticks')
        .where('check_id', '=', checkId)
        .where('first_tick', '>=', from)
        .execute();
      await sql`update missed_ticks set last_tick = cast(${from - period} as bigint),
        ticks = (cast(${from} as bigint) - first_tick) / cast(${period} as bigint)
        where check_id = ${checkId} and last_tick >= cast(${from} as bigint)`.execute(db);
    },
    missedTicksOf: (checkId: string): Promise<MissedTicks[]> =>
      db
        .selectFrom('missed_ticks')
        .select(MISSED_COLUMNS)
        .where('check_id', '=', checkId)
        .orderBy('first_tick')
        .execute(),
  };
}
