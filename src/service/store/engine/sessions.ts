/** Stores check sessions and test sessions. Every change of a state is a compare-and-set. */
import { type Insertable, type NotNull, type Selectable, type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { type CursorPage, cursorAfter, cursorPage, uuidRange } from '../lists.ts';
import { prepareSql, prepareStatement, splitIntoChunks } from '../prepared-statements.ts';
import type { CheckSessionRow } from '../tables/engine.ts';

/**
 * Final statuses of sessions that did not pass. They are rare, so a partial index of them is small. The condition is a literal,
 * not parameters: SQLite uses a partial index only if the statement repeats its condition.
 */
const NOT_PASSED = ['FAILED', 'DEGRADED', 'TIMED_OUT', 'CANCELLED'];
const isNotPassed = sql<SqlBool>`status in (${sql.join(NOT_PASSED.map((status) => sql.lit(status)))})`;

/** A session of a stored check (`SessionRecord<string>`), or of a test suite without one (`null`). */
export type SessionRecord<CheckId extends string | null = string | null> = Omit<
  Selectable<CheckSessionRow>,
  'check_id'
> & { check_id: CheckId };
export type NewSession = Insertable<CheckSessionRow>;

/** A session that belongs to a test session. */
export type TestPartRecord = Pick<SessionRecord, 'id' | 'test_session_id' | 'locations'>;

export interface SessionFilter {
  readonly accountId: string;
  readonly checkId?: string | undefined;
  readonly status?: string | undefined;
  /** Prefix of the ID, ignoring case. */
  readonly search?: string | undefined;
  readonly limit: number;
  /** The cursor of a previous page. */
  readonly after?: string | undefined;
}

/** The Postgres channel that announces ended sessions and test sessions: their IDs, separated by spaces. */
export const ENDED_CHANNEL = 'sonde_ended';
/** Postgres limits notifications to 8,000 bytes. */
const IDS_PER_NOTIFICATION = 200;

/** Returns a key for a tick of a check. */
export const tickKey = (checkId: string, tick: number): string => `${checkId} ${tick}`;

/** Sessions outside test sessions belong to a stored check. */
type WithCheck = { check_id: NotNull };

const selectOwned = prepareStatement((db, accountId: string, id: string) =>
  db
    .selectFrom('check_sessions')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('test_session_id', 'is', null)
    .$narrowType<WithCheck>(),
);

const insertSessions = prepareStatement((db, rows: readonly NewSession[]) =>
  db.insertInto('check_sessions').values(rows),
);
const selectByIds = prepareStatement((db, ids: readonly string[]) =>
  db.selectFrom('check_sessions').selectAll().where('id', 'in', ids),
);
// Rows are locked in the order of their IDs to avoid deadlocks.
const lockByIds = prepareStatement((db, ids: readonly string[]) =>
  db.selectFrom('check_sessions').selectAll().where('id', 'in', ids).orderBy('id').forNoKeyUpdate(),
);
const endSessions = prepareStatement(
  (db, ids: readonly string[], from: string, status: string, stoppedAt: number) =>
    db
      .updateTable('check_sessions')
      .set({ status, stopped_at: stoppedAt, ends_by: null, plan: null })
      .where('id', 'in', ids)
      .where('status', '=', from),
);
// A join needs one index lookup per tick; two `in` lists would need one per pair. The cross join stops SQLite from scanning
// all sessions when the list is long.
const selectTicksWithSession = prepareSql(
  (ticks: readonly { readonly checkId: string; readonly tick: number }[]) => {
    const rows = ticks.map(({ checkId, tick }) => sql`(${checkId}, cast(${tick} as bigint))`);
    return sql<{ check_id: string; scheduled_at: number }>`
    with wanted (check_id, tick) as (values ${sql.join(rows)})
    select had.check_id, had.scheduled_at from wanted
    cross join check_sessions as had
    where had.check_id = wanted.check_id and had.scheduled_at = wanted.tick`;
  },
);

// No session starts before its tick. Sessions of the check since then are few; those of all checks in these ticks may be many.
const selectTicks = prepareStatement((db, checkId: string, first: number, last: number) =>
  db
    .selectFrom('check_sessions')
    .select('scheduled_at')
    .where('check_id', '=', checkId)
    .where('started_at', '>=', first)
    .where('scheduled_at', '>=', first)
    .where('scheduled_at', '<=', last)
    .orderBy('scheduled_at'),
);

export function sessions(context: StoreContext) {
  const { db, dialect } = context;
  const selectAll = () => db.selectFrom('check_sessions').selectAll();
  return {
    async insert(rows: readonly NewSession[]): Promise<void> {
      for (const some of splitIntoChunks(rows)) await insertSessions(context, some);
    },
    /** Reads sessions, and locks them until the transaction ends. */
    lock: async (ids: readonly string[]): Promise<SessionRecord[]> => {
      if (ids.length === 0) return [];
      // SQLite runs one transaction at a time.
      return dialect === 'postgres' ? lockByIds(context, ids) : selectByIds(context, ids);
    },
    /** Changes sessions that are still in the status `from`. */
    async updateFrom(ids: readonly string[], from: string, to: Partial<NewSession>): Promise<void> {
      if (ids.length === 0) return;
      const query = db.updateTable('check_sessions').set(to).where('id', 'in', ids);
      await query.where('status', '=', from).execute();
    },
    /** Ends sessions that are still in the status `from`. */
    async end(ids: readonly string[], from: string, status: string, stoppedAt: number): Promise<void> {
      if (ids.length > 0) await endSessions(context, ids, from, status, stoppedAt);
    },
    /** Returns a session of the account, outside test sessions. */
    async get(accountId: string, id: string): Promise<SessionRecord<string> | undefined> {
      const [row] = await selectOwned(context, accountId, id);
      return row;
    },
    byIds: async (ids: readonly string[]): Promise<SessionRecord[]> =>
      ids.length === 0 ? [] : selectByIds(context, ids),
    ofTest: (testSessionId: string): Promise<SessionRecord[]> =>
      selectAll().where('test_session_id', '=', testSessionId).orderBy('batch_place').execute(),
    /** Returns the open sessions of a check, and those of test sessions that include the check. */
    openWithCheck: (accountId: string, checkId: string): Promise<SessionRecord[]> =>
      selectAll()
        .where('account_id', '=', accountId)
        .where('ends_by', 'is not', null)
        .where(({ or, eb, selectFrom }) =>
          or([
            eb('check_id', '=', checkId),
            eb(
              'test_session_id',
              'in',
              selectFrom('check_sessions as part')
                .select('part.test_session_id')
                .where('part.check_id', '=', checkId)
                .where('part.test_session_id', 'is not', null),
            ),
          ]),
        )
        .execute(),
    /** Lists sessions, newest first. @throws UnknownCursor */
    async list(filter: SessionFilter): Promise<CursorPage<SessionRecord<string>>> {
      const { accountId, checkId, status, search, limit, after } = filter;
      let query = selectAll().where('account_id', '=', accountId).where('test_session_id', 'is', null);
      if (checkId !== undefined) query = query.where('check_id', '=', checkId);
      if (status !== undefined) query = query.where('status', '=', status);
      // Only open sessions have a deadline.
      if (status !== undefined && NOT_PASSED.includes(status)) query = query.where(isNotPassed);
      else if (status !== undefined && status !== 'PASSED') query = query.where('ends_by', 'is not', null);
      if (search !== undefined) {
        const ids = uuidRange(search);
        if (ids === undefined) return { rows: [], nextId: null };
        query = query.where(({ between }) => between('id', ids.first, ids.last));
      }
      if (after !== undefined) query = query.where(cursorAfter(after, 'started_at'));
      const rows = await query
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .$narrowType<WithCheck>()
        .execute();
      return cursorPage(rows, limit, 'started_at');
    },
    /** Returns the keys (`tickKey`) of the ticks that already have a session. */
    async ticksWithSession(ticks: readonly { checkId: string; tick: number }[]): Promise<Set<string>> {
      if (ticks.length === 0) return new Set();
      const rows = await selectTicksWithSession(context, ticks);
      return new Set(rows.map((row) => tickKey(row.check_id, row.scheduled_at)));
    },
    /** Returns the ticks of a check in [first, last] that already have a session, in order. */
    async ticksBetween(checkId: string, first: number, last: number): Promise<number[]> {
      const rows = await selectTicks(context, checkId, first, last);
      return rows.flatMap((row) => row.scheduled_at ?? []);
    },
    /** Shifts the deadlines of open sessions by `ms` after a clock change. */
    async shiftDeadlines(ms: number): Promise<void> {
      await sql`update check_sessions set ends_by = ends_by + cast(${ms} as bigint) where ends_by is not null`.execute(
        db,
      );
    },
    /** Returns the latest start of an open session; null if none is open. */
    async latestOpenStart(): Promise<number | null> {
      const query = db.selectFrom('check_sessions').select('started_at').where('ends_by', 'is not', null);
      return (await query.orderBy('started_at', 'desc').limit(1).executeTakeFirst())?.started_at ?? null;
    },
    /** Returns open sessions whose deadline has passed. */
    overdue: (now: number, limit: number): Promise<SessionRecord[]> =>
      selectAll().where('ends_by', '<=', now).orderBy('ends_by').limit(limit).execute(),
    /** Returns the first session of a batch with held attempts. */
    nextOfBatch: (batchId: string): Promise<SessionRecord | undefined> =>
      selectAll()
        .where('batch_id', '=', batchId)
        .where('ends_by', 'is not', null)
        .where(
          sql<SqlBool>`exists (select 1 from runs where runs.session_id = check_sessions.id and runs.state = 'HELD')`,
        )
        .orderBy('batch_place')
        .limit(1)
        .executeTakeFirst(),
    /** Notifies other processes after the commit. A SQLite file has no other processes. */
    async notifyEnded(ids: readonly string[]): Promise<void> {
      if (dialect !== 'postgres') return;
      for (let from = 0; from < ids.length; from += IDS_PER_NOTIFICATION)
        await sql`select pg_notify(${ENDED_CHANNEL}, ${ids.slice(from, from + IDS_PER_NOTIFICATION).join(' ')})`.execute(
          db,
        );
    },
    async requestCancel(id: string, now: number): Promise<void> {
      await db
        .updateTable('check_sessions')
        .set({ cancelled_at: now })
        .where('id', '=', id)
        .where('cancelled_at', 'is', null)
        .execute();
    },
  };
}
