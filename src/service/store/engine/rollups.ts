/**
 * Rolls up results by hour and day. A flag on each result records that it is counted, and changes in the same transaction as
 * the counts: each result counts exactly once despite clock changes, late reports and crashes.
 */
import { type NotNull, type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import { type CursorPage, decodeCursor, encodeCursor } from '../lists.ts';
import type { RollUpRow } from '../tables/engine.ts';
import {
  aggregateResults,
  type CountableResult,
  mergeTallies,
  PERIOD_MS,
  PERIODS,
  type Period,
  periodStart,
  type ResponseTimes,
  type Tally,
} from './rollup-periods.ts';

/** Identifies the results of one check, location and hour, which starts at `from` (ms since the epoch). */
export interface ResultHour {
  readonly accountId: string;
  readonly checkId: string;
  readonly location: string;
  readonly from: number;
}

/** The roll-up of a period that starts at `startsAt` (ms since the epoch). */
export interface RollUpRecord extends Tally {
  readonly startsAt: number;
  readonly location: string;
}

export interface RollUpFilter {
  readonly accountId: string;
  readonly checkId: string;
  readonly period: Period;
  /** Selects periods that start in [from, to); ms since the epoch. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly location?: string | undefined;
  readonly limit: number;
  /** The cursor of a previous page. */
  readonly after?: string | undefined;
}

/** Maximum number of results that are read to find pending hours. */
const MAX_SCANNED = 500;

/** A literal, not a parameter: SQLite uses a partial index only if the statement repeats its condition. */
const isPending = sql<SqlBool>`rolled_up = 0`;

const COUNTED = [
  'started_at',
  'location',
  'has_failures',
  'has_errors',
  'is_degraded',
  'is_cancelled',
  'response_time_us',
  'result_type',
  'test_session_id',
] as const;

/** Retried attempts and results of test sessions do not count. */
const isCounted = (row: { readonly result_type: string; readonly test_session_id: string | null }): boolean =>
  row.result_type === 'FINAL' && row.test_session_id === null;

/** Returns the counts and response times of a stored roll-up. */
export function tallyFrom(row: RollUpRow): Tally {
  const { passed, degraded, failed, errors, cancelled, times } = row;
  return { passed, degraded, failed, errors, cancelled, times: JSON.parse(times) as ResponseTimes };
}

const columnsOf = ({ times, ...counts }: Tally) => ({ ...counts, times: JSON.stringify(times) });

export function rollUps({ db, dialect }: StoreContext) {
  async function add(hour: ResultHour, period: Period, tally: Tally): Promise<void> {
    const key = {
      check_id: hour.checkId,
      period,
      starts_at: periodStart(period, hour.from),
      location: hour.location,
    };
    for (;;) {
      const query = db
        .selectFrom('result_rollups')
        .selectAll()
        .where((to) => to.and(key));
      const row = await (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
      if (row === undefined) {
        const inserted = await db
          .insertInto('result_rollups')
          .values({ ...key, account_id: hour.accountId, ...columnsOf(tally) })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        // Another service inserted the row in the meantime: add to it.
        if (inserted.numInsertedOrUpdatedRows === 0n) continue;
        return;
      }
      await db
        .updateTable('result_rollups')
        .set(columnsOf(mergeTallies(tallyFrom(row), tally)))
        .where((to) => to.and(key))
        .execute();
      return;
    }
  }

  async function readStored({
    accountId,
    checkId,
    period,
    ...filter
  }: RollUpFilter): Promise<RollUpRecord[]> {
    let query = db
      .selectFrom('result_rollups')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('check_id', '=', checkId)
      .where('period', '=', period);
    if (filter.from !== undefined) query = query.where('starts_at', '>=', filter.from);
    if (filter.to !== undefined) query = query.where('starts_at', '<', filter.to);
    if (filter.location !== undefined) query = query.where('location', '=', filter.location);
    if (filter.after !== undefined) {
      const { instant, id } = decodeCursor(filter.after);
      query = query.where(sql<SqlBool>`(starts_at, location) < (${instant}, ${id})`);
    }
    const rows = await query
      .orderBy('starts_at', 'desc')
      .orderBy('location', 'desc')
      .limit(filter.limit + 1)
      .execute();
    return rows.map((row) => ({ startsAt: row.starts_at, location: row.location, ...tallyFrom(row) }));
  }

  /** Aggregates the results that are not rolled up yet. */
  async function aggregatePending({
    accountId,
    checkId,
    period,
    ...filter
  }: RollUpFilter): Promise<RollUpRecord[]> {
    const rows = await db
      .selectFrom('results')
      .select(COUNTED)
      .where('account_id', '=', accountId)
      .where('check_id', '=', checkId)
      .where(isPending)
      .execute();
    const after = filter.after === undefined ? undefined : decodeCursor(filter.after);
    const groups = new Map<string, { startsAt: number; location: string; rows: CountableResult[] }>();
    for (const row of rows) {
      const position = { startsAt: periodStart(period, row.started_at), location: row.location };
      if (
        !isCounted(row) ||
        (filter.from !== undefined && position.startsAt < filter.from) ||
        (filter.to !== undefined && position.startsAt >= filter.to) ||
        (filter.location !== undefined && position.location !== filter.location) ||
        (after !== undefined && !isAfter(position, { startsAt: after.instant, location: after.id }))
      )
        continue;
      const name = `${position.startsAt} ${position.location}`;
      const known = groups.get(name);
      if (known === undefined) groups.set(name, { ...position, rows: [row] });
      else known.rows.push(row);
    }
    return [...groups.values()].map(({ startsAt, location, rows: of }) => ({
      startsAt,
      location,
      ...aggregateResults(of),
    }));
  }

  return {
    /** Returns up to `limit` hours before `before` with results that are not rolled up; empty only if there are none. */
    async pendingHours(before: number, limit: number): Promise<ResultHour[]> {
      const rows = await db
        .selectFrom('results')
        .select(['account_id', 'check_id', 'location', 'started_at'])
        .where(isPending)
        .where('started_at', '<', before)
        // Results without a stored check are never pending.
        .$narrowType<{ check_id: NotNull }>()
        .limit(MAX_SCANNED)
        .execute();
      const hours = new Map<string, ResultHour>();
      for (const { account_id, check_id, location, started_at } of rows) {
        const from = periodStart('HOUR', started_at);
        hours.set(`${check_id} ${location} ${from}`, {
          accountId: account_id,
          checkId: check_id,
          location,
          from,
        });
      }
      return [...hours.values()].slice(0, limit);
    },
    /** Rolls up the pending results of an hour. Call it in a transaction. */
    async rollUp(hour: ResultHour): Promise<void> {
      const rows = await db
        .updateTable('results')
        .set({ rolled_up: 1 })
        .where('check_id', '=', hour.checkId)
        .where('location', '=', hour.location)
        .where('started_at', '>=', hour.from)
        .where('started_at', '<', hour.from + PERIOD_MS.HOUR)
        .where(isPending)
        .returning(COUNTED)
        .execute();
      const counted = rows.filter(isCounted);
      if (counted.length === 0) return;
      const tally = aggregateResults(counted);
      for (const period of PERIODS) await add(hour, period, tally);
    },
    /**
     * Lists roll-ups, newest first, including results that are not rolled up yet. Call it in a snapshot transaction.
     * @throws UnknownCursor
     */
    async list(filter: RollUpFilter): Promise<CursorPage<RollUpRecord>> {
      const merged = new Map<string, RollUpRecord>();
      for (const row of [...(await readStored(filter)), ...(await aggregatePending(filter))]) {
        const name = `${row.startsAt} ${row.location}`;
        const known = merged.get(name);
        merged.set(name, known === undefined ? row : { ...row, ...mergeTallies(known, row) });
      }
      const rows = [...merged.values()].sort((one, other) => (isAfter(one, other) ? 1 : -1));
      const last = rows.length > filter.limit ? rows[filter.limit - 1] : undefined;
      return {
        rows: rows.slice(0, filter.limit),
        nextId: last === undefined ? null : encodeCursor(last.startsAt, last.location),
      };
    },
  };
}

type Position = Pick<RollUpRecord, 'startsAt' | 'location'>;

/** Returns whether `one` comes after `other` in the list. Both databases order the ASCII locations by byte. */
function isAfter(one: Position, other: Position): boolean {
  return one.startsAt < other.startsAt || (one.startsAt === other.startsAt && one.location < other.location);
}
