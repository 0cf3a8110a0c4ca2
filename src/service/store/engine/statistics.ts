/** Stores the statistics of checks that pages show, and counts the results that are not rolled up yet. */
import { type SqlBool, sql } from 'kysely';
import { groupBy } from '../../../base/object.ts';
import type { StoreContext } from '../context.ts';
import { isOneOf } from '../is-one-of.ts';
import type { RollUpRow } from '../tables/engine.ts';
import { PERIOD_MS, type Period, periodStart } from './rollup-periods.ts';
import { type ResultHour, tallyFrom } from './rollups.ts';
import {
  entriesOf,
  latestIndex,
  NO_STATISTICS,
  type PackedEntries,
  periodIndex,
  replaceEntries,
  SHOWN,
  type StatisticsBody,
  sumsOf,
  timesOf,
} from './statistics-row.ts';

/** Results of a check and an hour (its number since the epoch) that are not rolled up yet. */
export interface PendingHour {
  readonly checkId: string;
  readonly hour: number;
  readonly runs: number;
  readonly failed: number;
  readonly degraded: number;
  /** Response times in ms, in any order. */
  readonly times: readonly number[];
}

export function statistics(context: StoreContext) {
  const { db, dialect } = context;
  const isOfChecks = (checkIds: readonly string[]) => isOneOf(context, 'check_id', checkIds);
  /** Reads the roll-ups of a check that start in [from, to). */
  async function tallies(checkId: string, period: Period, from: number, to: number) {
    const rows: RollUpRow[] = await db
      .selectFrom('result_rollups')
      .selectAll()
      .where('check_id', '=', checkId)
      .where('period', '=', period)
      .where('starts_at', '>=', from)
      .where('starts_at', '<', to)
      .execute();
    return rows.map((row) => ({ startsAt: row.starts_at, ...tallyFrom(row) }));
  }

  async function refreshCheck(
    checkId: string,
    accountId: string,
    instants: readonly number[],
    now: number,
  ): Promise<void> {
    // Another service may roll up other hours of the check at the same time: it waits for this row, also for the first one.
    const nothing = { account_id: accountId, body: JSON.stringify(NO_STATISTICS), days: '[]' };
    await db
      .insertInto('check_statistics')
      .values({ check_id: checkId, ...nothing })
      .onConflict((conflict) => conflict.column('check_id').doNothing())
      .execute();
    const query = db.selectFrom('check_statistics').select(['body', 'days']).where('check_id', '=', checkId);
    const row = await (dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
    const before = JSON.parse(row?.body ?? nothing.body) as StatisticsBody;
    const daysBefore = JSON.parse(row?.days ?? nothing.days) as PackedEntries;
    const newestHour = Math.max(
      ...instants.map((instant) => periodStart('HOUR', instant)),
      latestIndex(before.hours) * PERIOD_MS.HOUR,
    );
    // Hours of a clock that was ahead do not hide those until now.
    const shownUntil = Math.min(newestHour, periodStart('HOUR', now));
    const hours = await tallies(
      checkId,
      'HOUR',
      shownUntil - (SHOWN.HOUR - 1) * PERIOD_MS.HOUR,
      newestHour + PERIOD_MS.HOUR,
    );
    const days = instants.map((instant) => periodStart('DAY', instant));
    const [firstDay, lastDay] = [Math.min(...days), Math.max(...days)];
    const today = periodIndex('DAY', now);
    // An earlier version dropped the other days when the clock was ahead.
    const isIncomplete = daysBefore.length === 0 || latestIndex(daysBefore) > today;
    const shownFrom = Math.min(firstDay, today * PERIOD_MS.DAY) - (SHOWN.DAY - 1) * PERIOD_MS.DAY;
    const changedDays = await tallies(
      checkId,
      'DAY',
      isIncomplete ? shownFrom : firstDay,
      lastDay + PERIOD_MS.DAY,
    );
    const newDays = replaceEntries(daysBefore, entriesOf('DAY', changedDays), {
      period: 'DAY',
      current: today,
    });
    const body: StatisticsBody = {
      hours: entriesOf('HOUR', hours),
      times: timesOf(hours.filter(({ startsAt }) => startsAt <= now)),
      ...sumsOf(newDays, today),
    };
    const values = { account_id: accountId, body: JSON.stringify(body), days: JSON.stringify(newDays) };
    await db
      .insertInto('check_statistics')
      .values({ check_id: checkId, ...values })
      .onConflict((conflict) => conflict.column('check_id').doUpdateSet(values))
      .execute();
  }

  return {
    /** Computes the statistics of checks anew after hours were rolled up by `now`. Call it in the same transaction. */
    async refresh(
      hours: readonly Pick<ResultHour, 'checkId' | 'accountId' | 'from'>[],
      now: number,
    ): Promise<void> {
      for (const [checkId, ofCheck] of groupBy(hours, (hour) => hour.checkId)) {
        const [first] = ofCheck;
        if (first === undefined) continue;
        await refreshCheck(
          checkId,
          first.accountId,
          ofCheck.map(({ from }) => from),
          now,
        );
      }
    },
    /** Returns the last rolled up days of up to `limit` checks that have roll-ups, but no statistics. */
    async missing(limit: number): Promise<Pick<ResultHour, 'checkId' | 'accountId' | 'from'>[]> {
      const last = (to: 'checks') => sql<number | null>`(select max(starts_at) from result_rollups
        where result_rollups.check_id = ${sql.ref(`${to}.id`)} and period = 'HOUR')`;
      const rows = await db
        .selectFrom('checks')
        .select(['id', 'account_id', last('checks').as('from')])
        .where(
          sql<SqlBool>`not exists (select 1 from check_statistics where check_statistics.check_id = checks.id)`,
        )
        .where(sql<SqlBool>`${last('checks')} is not null`)
        .limit(limit)
        .execute();
      return rows.map(({ id, account_id, from }) => ({
        checkId: id,
        accountId: account_id,
        from: Number(from),
      }));
    },
    /** Returns the statistics of checks. A check without a roll-up has none. */
    async byChecks(checkIds: readonly string[]): Promise<ReadonlyMap<string, StatisticsBody>> {
      if (checkIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('check_statistics')
        .select(['check_id', 'body'])
        .where(isOfChecks(checkIds))
        .execute();
      return new Map(rows.map(({ check_id, body }) => [check_id, JSON.parse(body) as StatisticsBody]));
    },
    /** Returns the days of checks. They are several times as long as the rest, which most pages do without. */
    async daysByChecks(checkIds: readonly string[]): Promise<ReadonlyMap<string, PackedEntries>> {
      if (checkIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('check_statistics')
        .select(['check_id', 'days'])
        .where(isOfChecks(checkIds))
        .execute();
      return new Map(rows.map(({ check_id, days }) => [check_id, JSON.parse(days) as PackedEntries]));
    },
    /** Counts the final results of checks that are not rolled up yet and have a verdict, by hour. */
    async pending(checkIds: readonly string[]): Promise<PendingHour[]> {
      if (checkIds.length === 0) return [];
      const list =
        dialect === 'postgres'
          ? sql<string | null>`string_agg(cast(response_time_us as text), ',')`
          : sql<string | null>`group_concat(response_time_us)`;
      const rows = await db
        .selectFrom('results')
        .select([
          'check_id',
          sql<number>`started_at / ${sql.lit(PERIOD_MS.HOUR)}`.as('hour'),
          list.as('times'),
        ])
        .select(({ fn }) => fn.countAll<number>().as('runs'))
        .select(sql<number>`sum(has_failures)`.as('failed'))
        .select(sql<number>`sum(case when has_failures = 0 then is_degraded else 0 end)`.as('degraded'))
        .where(isOfChecks(checkIds))
        // A literal: SQLite uses the partial index only if the statement repeats its condition.
        .where(sql<SqlBool>`rolled_up = 0`)
        .where('result_type', '=', 'FINAL')
        .where('test_session_id', 'is', null)
        .where('has_errors', '=', 0)
        .where('is_cancelled', '=', 0)
        .groupBy(['check_id', sql`started_at / ${sql.lit(PERIOD_MS.HOUR)}`])
        .execute();
      return rows.map((row) => ({
        checkId: row.check_id ?? '',
        hour: Number(row.hour),
        runs: Number(row.runs),
        failed: Number(row.failed),
        degraded: Number(row.degraded),
        times: row.times === null ? [] : row.times.split(',').map((micros) => Number(micros) / 1000),
      }));
    },
  };
}
