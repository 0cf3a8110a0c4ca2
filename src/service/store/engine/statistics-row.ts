/**
 * Defines the statistics of a check that pages read: one entry for each of its latest hours and days, and the response times
 * over those hours. They are computed when hours are rolled up, because a page of a thousand checks cannot read a year of
 * roll-ups. Pure.
 */
import { mergeTallies, PERIOD_MS, type Period, percentile, type Tally } from './rollup-periods.ts';

/** Numbers of periods that are shown, with the current one. */
export const SHOWN: Readonly<Record<Period, number>> = { HOUR: 24, DAY: 90 };

/**
 * A period in one array, because a page parses a hundred of them for each check: the number of the period since the epoch,
 * results with a verdict, those that failed, those that were degraded, and p50 and p95 in ms (null: not measured).
 */
export type Entry = readonly [
  index: number,
  runs: number,
  failed: number,
  degraded: number,
  p50: number | null,
  p95: number | null,
];

export interface StatisticsBody {
  /** Oldest first; periods without results are absent. */
  readonly hours: readonly Entry[];
  readonly days: readonly Entry[];
  /** p50, p95 and p99 in ms over `hours`; null: not measured. */
  readonly times: readonly [number, number, number] | null;
}

export const NO_STATISTICS: StatisticsBody = { hours: [], days: [], times: null };

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
): Entry[] {
  const merged = new Map<number, Tally>();
  for (const tally of tallies) {
    const index = periodIndex(period, tally.startsAt);
    const known = merged.get(index);
    merged.set(index, known === undefined ? tally : mergeTallies(known, tally));
  }
  return [...merged].map(([index, tally]) => entryOf(index, tally)).sort(([one], [other]) => one - other);
}

/** Returns p50, p95 and p99 of all tallies. */
export function timesOf(tallies: readonly Tally[]): StatisticsBody['times'] {
  const [first, ...others] = tallies;
  if (first === undefined) return null;
  const total = others.reduce(mergeTallies, first);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => share(total, part));
  return p50 == null || p95 == null || p99 == null ? null : [p50, p95, p99];
}

/** Replaces the entries of some periods, and drops those that are too old to be shown. */
export function replaceEntries(before: readonly Entry[], changed: readonly Entry[], period: Period): Entry[] {
  const entries = new Map([...before, ...changed].map((entry) => [entry[0], entry]));
  const newest = Math.max(...entries.keys());
  return [...entries.values()]
    .filter(([index]) => index > newest - SHOWN[period])
    .sort(([one], [other]) => one - other);
}
