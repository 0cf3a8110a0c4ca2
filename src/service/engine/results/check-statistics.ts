/** Computes what pages show of a check over time: availability, response times, and series by hour and day. */
import { groupBy } from '../../../base/object.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { PERIOD_MS, type Period } from '../../store/engine/rollup-periods.ts';
import type { PendingHour } from '../../store/engine/statistics.ts';
import {
  type Entry,
  forEachEntry,
  latestIndex,
  NO_STATISTICS,
  type PackedEntries,
  periodIndex,
  SHOWN,
  type StatisticsBody,
  sumOf,
  WINDOWS,
} from '../../store/engine/statistics-row.ts';

/** An hour or a day of UTC, also without results. */
export interface PeriodStatistics {
  /** Its start, in ms since the epoch. */
  readonly at: number;
  /** Final results with a verdict, of all locations. */
  readonly runs: number;
  readonly failed: number;
  readonly degraded: number;
  /** Ms; null: not measured. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface CheckStatistics {
  /** The share of results that did not fail, 0 to 1, over whole periods of UTC up to now; null without results. */
  readonly availability: Readonly<Record<'24h' | '7d' | '30d' | '90d', number | null>>;
  /** Response times in ms over the 24 hours until the last one with results, if that was in the last 24 hours; null: not measured. */
  readonly times: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  /** The last 24 hours, oldest first, ending with the current one. */
  readonly hours: () => readonly PeriodStatistics[];
  /** The last 90 days, oldest first, ending with today; empty if they were not asked for. */
  readonly days: () => readonly PeriodStatistics[];
}

/** Returns the nearest rank of values, which must be sorted. */
const rank = (sorted: readonly number[], part: number): number | null =>
  sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? null;

const ascending = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

function entryOfPending({ hour, runs, failed, degraded, times }: PendingHour): Entry {
  const sorted = ascending(times);
  return [hour, runs, failed, degraded, rank(sorted, 0.5), rank(sorted, 0.95)];
}

/** Returns the latest periods. Response times of a stored period win, because percentiles do not add up. */
function toPeriods(
  stored: PackedEntries,
  added: readonly Entry[],
  period: Period,
  now: number,
): PeriodStatistics[] {
  const first = periodIndex(period, now) - SHOWN[period] + 1;
  const periods = Array.from(
    { length: SHOWN[period] },
    (_, position): PeriodStatistics => ({
      at: (first + position) * PERIOD_MS[period],
      runs: 0,
      failed: 0,
      degraded: 0,
      p50: null,
      p95: null,
    }),
  );
  const add = (...[index, runs, failed, degraded, p50, p95]: Entry) => {
    const known = periods[index - first];
    if (known === undefined) return;
    periods[index - first] = {
      at: known.at,
      runs: known.runs + runs,
      failed: known.failed + failed,
      degraded: known.degraded + degraded,
      p50: known.p50 ?? p50,
      p95: known.p95 ?? p95,
    };
  };
  forEachEntry(stored, add);
  for (const entry of added) add(...entry);
  return periods;
}

/** Returns the share of good results of a sum and of the added entries in the last `count` periods. */
function availabilityOf(
  sum: { readonly runs: number; readonly failed: number },
  added: readonly Entry[],
  last: number,
  count: number,
): number | null {
  let { runs, failed } = sum;
  for (const entry of added) {
    if (entry[0] <= last - count || entry[0] > last) continue;
    runs += entry[1];
    failed += entry[2];
  }
  return runs === 0 ? null : 1 - failed / runs;
}

const HOURS_PER_DAY = PERIOD_MS.DAY / PERIOD_MS.HOUR;

/** `days`: undefined if the sums of the body are enough. */
function compute(
  body: StatisticsBody,
  days: PackedEntries | undefined,
  pending: readonly PendingHour[],
  now: number,
): CheckStatistics {
  const addedHours = pending.map(entryOfPending);
  const addedDays = addedHours.map(([hour, ...of]): Entry => [Math.floor(hour / HOURS_PER_DAY), ...of]);
  const [thisHour, today] = [periodIndex('HOUR', now), periodIndex('DAY', now)];
  const [week, month, quarter] = WINDOWS.map((count, window) => {
    const known = body.latestDay === today ? body.sums[window] : undefined;
    const sum = known ?? sumOf(days ?? [], today - count + 1, today);
    return availabilityOf(sum, addedDays, today, count);
  });
  const ofHours = sumOf(body.hours, thisHour - SHOWN.HOUR + 1, thisHour);
  const isRecent = latestIndex(body.hours) > thisHour - SHOWN.HOUR;
  const recent = pending.filter(({ hour }) => hour > thisHour - SHOWN.HOUR);
  const measured = isRecent ? [] : ascending(recent.flatMap(({ times }) => times));
  const [p50, p95, p99] =
    (isRecent ? body.times : undefined) ?? [0.5, 0.95, 0.99].map((part) => rank(measured, part));
  return {
    availability: {
      '24h': availabilityOf(ofHours, addedHours, thisHour, SHOWN.HOUR),
      '7d': week ?? null,
      '30d': month ?? null,
      '90d': quarter ?? null,
    },
    times: p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 },
    hours: () => toPeriods(body.hours, addedHours, 'HOUR', now),
    days: () => (days === undefined ? [] : toPeriods(days, addedDays, 'DAY', now)),
  };
}

/**
 * Returns the statistics of each of these checks, which must exist. The response times leave the current hour out if there is
 * an earlier one.
 */
export async function readCheckStatistics(
  { statistics }: Pick<EngineStore, 'statistics'>,
  checkIds: readonly string[],
  now: number,
  { hasDays = false }: { readonly hasDays?: boolean } = {},
): Promise<ReadonlyMap<string, CheckStatistics>> {
  const bodies = await statistics.byChecks(checkIds);
  const today = periodIndex('DAY', now);
  // The sums end with the latest day that was rolled up.
  const withDays = checkIds.filter((id) => hasDays || bodies.get(id)?.latestDay !== today);
  const days = await statistics.daysByChecks(withDays);
  const pending = groupBy(await statistics.pending(checkIds), ({ checkId }) => checkId);
  return new Map(
    checkIds.map((id) => {
      const ownDays = days.get(id) ?? (hasDays ? [] : undefined);
      return [id, compute(bodies.get(id) ?? NO_STATISTICS, ownDays, pending.get(id) ?? [], now)];
    }),
  );
}
