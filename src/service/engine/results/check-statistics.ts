/** Computes what pages show of a check over time: availability, response times, and series by hour and day. */
import { groupBy } from '../../../base/object.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { PERIOD_MS, type Period } from '../../store/engine/rollup-periods.ts';
import type { PendingHour } from '../../store/engine/statistics.ts';
import {
  type Entry,
  NO_STATISTICS,
  periodIndex,
  SHOWN,
  type StatisticsBody,
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
  /** Response times in ms over the last 24 hours; null: not measured. */
  readonly times: { readonly p50: number; readonly p95: number; readonly p99: number } | null;
  /** The last 24 hours, oldest first, ending with the current one. */
  readonly hours: () => readonly PeriodStatistics[];
  /** The last 90 days, oldest first, ending with today. */
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

/** Adds an entry to those of its period. Response times of the stored entry win, because percentiles do not add up. */
function addEntry(entries: Map<number, Entry>, added: Entry): void {
  const [index, runs, failed, degraded] = added;
  const known = entries.get(index);
  entries.set(
    index,
    known === undefined
      ? added
      : [
          index,
          known[1] + runs,
          known[2] + failed,
          known[3] + degraded,
          known[4] ?? added[4],
          known[5] ?? added[5],
        ],
  );
}

function toPeriods(entries: ReadonlyMap<number, Entry>, period: Period, now: number): PeriodStatistics[] {
  const last = periodIndex(period, now);
  return Array.from({ length: SHOWN[period] }, (_, position) => {
    const index = last - SHOWN[period] + 1 + position;
    const [, runs = 0, failed = 0, degraded = 0, p50 = null, p95 = null] = entries.get(index) ?? [];
    return { at: index * PERIOD_MS[period], runs, failed, degraded, p50, p95 };
  });
}

/** Returns the share of good results in the last `count` periods. */
function availabilityOf(entries: Iterable<Entry>, last: number, count: number): number | null {
  let [runs, failed] = [0, 0];
  for (const entry of entries) {
    if (entry[0] <= last - count || entry[0] > last) continue;
    runs += entry[1];
    failed += entry[2];
  }
  return runs === 0 ? null : 1 - failed / runs;
}

function compute(body: StatisticsBody, pending: readonly PendingHour[], now: number): CheckStatistics {
  const hours = new Map(body.hours.map((entry) => [entry[0], entry]));
  const days = new Map(body.days.map((entry) => [entry[0], entry]));
  for (const one of pending) {
    const entry = entryOfPending(one);
    addEntry(hours, entry);
    const [hour, ...counts] = entry;
    addEntry(days, [periodIndex('DAY', hour * PERIOD_MS.HOUR), ...counts]);
  }
  const [thisHour, today] = [periodIndex('HOUR', now), periodIndex('DAY', now)];
  const isRecent = (body.hours.at(-1)?.[0] ?? 0) > thisHour - SHOWN.HOUR;
  const measured = isRecent ? [] : ascending(pending.flatMap(({ times }) => times));
  const [p50, p95, p99] =
    (isRecent ? body.times : undefined) ?? [0.5, 0.95, 0.99].map((part) => rank(measured, part));
  return {
    availability: {
      '24h': availabilityOf(hours.values(), thisHour, SHOWN.HOUR),
      '7d': availabilityOf(days.values(), today, 7),
      '30d': availabilityOf(days.values(), today, 30),
      '90d': availabilityOf(days.values(), today, SHOWN.DAY),
    },
    times: p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 },
    hours: () => toPeriods(hours, 'HOUR', now),
    days: () => toPeriods(days, 'DAY', now),
  };
}

/** Returns the statistics of each of these checks, which must exist. The response times leave the current hour out if there is an earlier one. */
export async function readCheckStatistics(
  { statistics }: Pick<EngineStore, 'statistics'>,
  checkIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, CheckStatistics>> {
  const bodies = await statistics.byChecks(checkIds);
  const pending = groupBy(await statistics.pending(checkIds), ({ checkId }) => checkId);
  return new Map(
    checkIds.map((id) => [id, compute(bodies.get(id) ?? NO_STATISTICS, pending.get(id) ?? [], now)]),
  );
}
