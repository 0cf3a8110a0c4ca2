/**
 * Defines the statistics of a check that pages read: one entry for each of its latest hours and days, and the response times
 * over those hours. They are computed when hours are rolled up, because a page of a thousand checks cannot read a year of
 * roll-ups. Pure.
 */
import { mergeTallies, PERIOD_MS, type Period, percentile, type Tally } from './rollup-periods.ts';

/** Numbers of periods that are shown, with the current one. */
export const SHOWN: Readonly<Record<Period, number>> = { HOUR: 24, DAY: 90 };

/**
 * A period: its number since the epoch, results with a verdict, those that failed, those that were degraded, and p50 and p95
 * in ms (null: not measured).
 */
export type Entry = readonly [
  index: number,
  runs: number,
  failed: number,
  degraded: number,
  p50: number | null,
  p95: number | null,
];

/**
 * Entries in one list of numbers, oldest first; periods without results are absent. A page reads a hundred entries for each of
 * a thousand checks: as arrays of their own they would take several times as long to parse and collect.
 */
export type PackedEntries = readonly number[];

const ENTRY_LENGTH = 6;
const NOT_MEASURED = -1;

const pack = (entries: readonly Entry[]): number[] =>
  entries.flatMap((entry) => entry.map((value) => value ?? NOT_MEASURED));

/** Calls `visit` with each entry, oldest first. */
export function forEachEntry(packed: PackedEntries, visit: (...entry: Entry) => void): void {
  const orNull = (ms = NOT_MEASURED) => (ms === NOT_MEASURED ? null : ms);
  for (let at = 0; at < packed.length; at += ENTRY_LENGTH)
    visit(
      packed[at] ?? 0,
      packed[at + 1] ?? 0,
      packed[at + 2] ?? 0,
      packed[at + 3] ?? 0,
      orNull(packed[at + 4]),
      orNull(packed[at + 5]),
    );
}

/** Returns the number of the latest period; 0 without entries. */
export const latestIndex = (packed: PackedEntries): number => packed[packed.length - ENTRY_LENGTH] ?? 0;

/** Adds up results and failures of the periods from `first` to `last`. */
export function sumOf(packed: PackedEntries, first: number, last: number): { runs: number; failed: number } {
  const sum = { runs: 0, failed: 0 };
  for (let at = 0; at < packed.length; at += ENTRY_LENGTH) {
    const index = packed[at] ?? 0;
    if (index < first || index > last) continue;
    sum.runs += packed[at + 1] ?? 0;
    sum.failed += packed[at + 2] ?? 0;
  }
  return sum;
}

/** The number of days of each availability, besides that of the last 24 hours. */
export const WINDOWS = [7, 30, SHOWN.DAY] as const;

/** What every page needs of a check. */
export interface StatisticsBody {
  readonly hours: PackedEntries;
  /** p50, p95 and p99 in ms over `hours`; null: not measured. */
  readonly times: readonly [number, number, number] | null;
  /** The number of the latest day, and the sums of results and failures of each window that ends with it. */
  readonly latestDay: number;
  readonly sums: readonly { readonly runs: number; readonly failed: number }[];
}

export const NO_STATISTICS: StatisticsBody = { hours: [], times: null, latestDay: 0, sums: [] };

/** Returns the sums of each window that ends with the latest of the days, at most `today`. */
export function sumsOf(days: PackedEntries, today: number): Pick<StatisticsBody, 'latestDay' | 'sums'> {
  const latestDay = Math.min(latestIndex(days), today);
  return { latestDay, sums: WINDOWS.map((count) => sumOf(days, latestDay - count + 1, latestDay)) };
}

/** Returns the number of the period that contains an instant (ms). */
export const periodIndex = (period: Period, instant: number): number =>
  Math.floor(instant / PERIOD_MS[period]);

const toMs = (micros: number): number => Math.round(micros / 100) / 10;

const share = ({ times }: Tally, part: number): number | null => {
  const micros = percentile(times, part);
  return micros === undefined ? null : toMs(micros);
};

const entryOf = (index: number, tally: Tally): Entry => [
  index,
  tally.passed + tally.degraded + tally.failed,
  tally.failed,
  tally.degraded,
  share(tally, 0.5),
  share(tally, 0.95),
];

/** Returns the entries of tallies of any order, one for each period; those of several locations are merged. */
export function entriesOf(
  period: Period,
  tallies: readonly (Tally & { readonly startsAt: number })[],
): PackedEntries {
  const merged = new Map<number, Tally>();
  for (const tally of tallies) {
    const index = periodIndex(period, tally.startsAt);
    const known = merged.get(index);
    merged.set(index, known === undefined ? tally : mergeTallies(known, tally));
  }
  const entries = [...merged].map(([index, tally]) => entryOf(index, tally));
  return pack(entries.sort(([one], [other]) => one - other));
}

/** Returns p50, p95 and p99 of all tallies. */
export function timesOf(tallies: readonly Tally[]): StatisticsBody['times'] {
  const [first, ...others] = tallies;
  if (first === undefined) return null;
  const total = others.reduce(mergeTallies, first);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => share(total, part));
  return p50 == null || p95 == null || p99 == null ? null : [p50, p95, p99];
}

/**
 * Replaces the entries of some periods, and drops those that are too old to be shown. Entries after the `current` period, of a
 * clock that was ahead, wait for their time.
 */
export function replaceEntries(
  before: PackedEntries,
  changed: PackedEntries,
  { period, current }: { readonly period: Period; readonly current: number },
): PackedEntries {
  const entries = new Map<number, Entry>();
  for (const packed of [before, changed])
    forEachEntry(packed, (...entry) => void entries.set(entry[0], entry));
  const newest = Math.min(current, Math.max(...entries.keys()));
  const shown = [...entries.values()].filter(([index]) => index > newest - SHOWN[period]);
  return pack(shown.sort(([one], [other]) => one - other));
}
