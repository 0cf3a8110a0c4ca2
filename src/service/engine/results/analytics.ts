/** Reads analytics of a check: from roll-ups where they have the metrics, otherwise from the raw results. */
import type { Clock } from '../../../base/clock.ts';
import { groupBy } from '../../../base/object.ts';
import { isOutcomeMetric, type NamedMetric } from '../../../contract/analytics-metrics.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import type { DetailPath } from '../../store/engine/measurements.ts';
import { mergeTallies, PERIOD_MS, type Period, type Tally } from '../../store/engine/rollup-periods.ts';
import type { RollUpRecord } from '../../store/engine/rollups.ts';
import type { SuiteRun, SuiteRunFilter } from '../../store/engine/suite-runs.ts';
import {
  isInRollUps,
  type MetricValue,
  NO_RESULTS,
  type Sample,
  valueOfSamples,
  valueOfTallies,
} from './metric-values.ts';
import { alignRange, type TimeRange } from './time-range.ts';

export interface CheckKey {
  readonly accountId: string;
  readonly checkId: string;
}

export interface AnalyticsRequest extends CheckKey, TimeRange {
  readonly metrics: readonly NamedMetric[];
  /** Length of the intervals that are aggregated, in ms. Default: the whole range. */
  readonly intervalMs?: number | undefined;
  readonly groupBy?: 'runLocation' | 'statusCode' | undefined;
  /** Only results with these outcomes. */
  readonly statuses?: readonly ('success' | 'failure')[] | undefined;
}

/** Values by the name of the metric, with the start of the interval or of the result. */
export type SeriesRow = Readonly<Record<string, MetricValue>>;

export interface Series {
  /** The group, if the request groups by one. */
  readonly runLocation?: string;
  /** Null: the target did not answer. */
  readonly statusCode?: number | null;
  /** Oldest first. */
  readonly data: readonly SeriesRow[];
}

/** Analytics of the range that was read, which may be longer or shorter than the requested one. */
export interface Analytics extends TimeRange {
  readonly series: readonly Series[];
}

/** The merged roll-ups of the range that was read. */
export interface Total extends TimeRange {
  readonly tally: Tally;
}

/** Maximum number of rows that a request reads. Reading values in the details takes longer. */
const LIMITS = { rollUps: 20_000, results: 50_000, detailedResults: 10_000 };
/** Roll-ups of longer ranges are read by day. */
const MAX_HOURLY_MS = 62 * PERIOD_MS.DAY;
/** The same for totals, of which a request may read many. */
const MAX_TOTAL_HOURLY_MS = 8 * PERIOD_MS.DAY;

const STATUS_CODE: DetailPath = ['response', 'status'];

/** Reads analytics. Each function returns undefined if the range has too many rows. */
export function createAnalytics(
  store: Pick<EngineStore, 'snapshot' | 'measurements' | 'suiteRuns'>,
  clock: Clock,
  retentionMs: number,
) {
  /** Reads the roll-ups of whole periods, newest first. */
  async function readRollUps(
    { accountId, checkId }: CheckKey,
    period: Period,
    { from, to }: TimeRange,
  ): Promise<readonly RollUpRecord[] | undefined> {
    const filter = { accountId, checkId, period, from, to, limit: LIMITS.rollUps };
    const { rows, nextId } = await store.snapshot(({ rollUps }) => rollUps.list(filter));
    return nextId === null ? rows : undefined;
  }

  async function fromRollUps(request: AnalyticsRequest): Promise<Analytics | undefined> {
    const { from, to, intervalMs = PERIOD_MS.DAY } = request;
    const period = intervalMs % PERIOD_MS.DAY === 0 && to - from > MAX_HOURLY_MS ? 'DAY' : 'HOUR';
    const range = alignRange(request, PERIOD_MS[period]);
    const rows = await readRollUps(request, period, range);
    if (rows === undefined) return undefined;
    const withVerdict = rows.filter(({ passed, degraded, failed }) => passed + degraded + failed > 0);
    const series = toSeries(withVerdict.toReversed(), request, {
      instantOf: ({ startsAt }) => startsAt,
      groupOf: ({ location }) => location,
      compute: valueOfTallies,
    });
    return { ...range, series };
  }

  async function fromResults(request: AnalyticsRequest): Promise<Analytics | undefined> {
    const { metrics, groupBy, statuses } = request;
    const at = new Map(metrics.map(({ base, metric }) => [base, metric.at]));
    const paths = new Map(
      [...at].flatMap(([base, path]) => (typeof path === 'object' ? [[base, path]] : [])),
    );
    if (groupBy === 'statusCode') paths.set(groupBy, STATUS_CODE);
    // Older results are deleted.
    const range = { from: Math.max(request.from, clock.now() - retentionMs), to: request.to };
    const filter = { accountId: request.accountId, checkId: request.checkId, ...range };
    const limit = paths.size === 0 ? LIMITS.results : LIMITS.detailedResults;
    if ((await store.measurements.count(filter, limit + 1)) > limit) return undefined;
    const names = [...paths.keys()];
    const timed = [...at].flatMap(([base, path]) => (path === 'responseTime' ? [base] : []));
    const samples = (await store.measurements.read(filter, [...paths.values()]))
      .filter(({ hasFailures }) => statuses?.includes(hasFailures ? 'failure' : 'success') ?? true)
      .map(
        (result): Sample => ({
          ...result,
          values: Object.fromEntries([
            ...timed.map((base) => [base, result.responseTime]),
            ...names.map((base, index) => [base, result.values[index]]),
          ]),
        }),
      );
    const series = toSeries(samples, request, {
      instantOf: ({ startedAt }) => startedAt,
      groupOf: ({ location, values }) =>
        groupBy === 'statusCode' ? toStatusCode(values.statusCode) : location,
      compute: valueOfSamples,
    });
    return { ...range, series };
  }

  return {
    /** Reads the tests of the latest results of a Playwright suite, oldest first. */
    suiteRuns: (filter: SuiteRunFilter): Promise<SuiteRun[]> => store.suiteRuns.latest(filter),
    /** Reads metrics of a check. */
    read: (request: AnalyticsRequest): Promise<Analytics | undefined> => {
      const { metrics, intervalMs = PERIOD_MS.HOUR, groupBy, statuses } = request;
      const areRolledUp =
        metrics.every(isInRollUps) &&
        intervalMs % PERIOD_MS.HOUR === 0 &&
        groupBy !== 'statusCode' &&
        statuses === undefined;
      return areRolledUp ? fromRollUps(request) : fromResults(request);
    },
    /** Reads the merged roll-ups of a check, over whole hours, or whole days for ranges longer than a week. */
    async total(check: CheckKey, { from, to }: TimeRange): Promise<Total | undefined> {
      const period = to - from > MAX_TOTAL_HOURLY_MS ? 'DAY' : 'HOUR';
      const range = alignRange({ from, to }, PERIOD_MS[period]);
      const rows = await readRollUps(check, period, range);
      return rows && { ...range, tally: rows.reduce<Tally>(mergeTallies, NO_RESULTS) };
    },
    /**
     * Reads the merged roll-ups of consecutive ranges. An hour counts in the range in which it begins, and the first and the
     * last range include their whole hours.
     */
    async totals(check: CheckKey, ranges: readonly TimeRange[]): Promise<readonly Total[] | undefined> {
      const totals: Total[] = [];
      for (const [index, { from, to }] of ranges.entries()) {
        const aligned = {
          from: (index === 0 ? Math.floor : Math.ceil)(from / PERIOD_MS.HOUR) * PERIOD_MS.HOUR,
          to: Math.ceil(to / PERIOD_MS.HOUR) * PERIOD_MS.HOUR,
        };
        const isInDays = aligned.from % PERIOD_MS.DAY === 0 && aligned.to % PERIOD_MS.DAY === 0;
        const rows = await readRollUps(check, isInDays ? 'DAY' : 'HOUR', aligned);
        if (rows === undefined) return undefined;
        totals.push({ from, to, tally: rows.reduce<Tally>(mergeTallies, NO_RESULTS) });
      }
      return totals;
    },
  };
}

interface SeriesSource<T> {
  readonly instantOf: (item: T) => number;
  readonly groupOf: (item: T) => string | number | null;
  readonly compute: (items: readonly T[], metric: NamedMetric) => MetricValue;
}

/** Groups the items, which are sorted by time, into series, and their values into rows. */
function toSeries<T extends { readonly location: string }>(
  items: readonly T[],
  { metrics, intervalMs, groupBy: groupName }: AnalyticsRequest,
  { instantOf, groupOf, compute }: SeriesSource<T>,
): readonly Series[] {
  const valuesOf = (some: readonly T[]) =>
    Object.fromEntries(metrics.map((metric) => [metric.name, compute(some, metric)]));
  const isPerResult = metrics.some((metric) => metric.aggregation === undefined && !isOutcomeMetric(metric));
  const iso = (instant: number) => new Date(instant).toISOString();

  function toRows(some: readonly T[]): readonly SeriesRow[] {
    if (isPerResult)
      return some.map((one) => ({
        startedAt: iso(instantOf(one)),
        runLocation: one.location,
        ...valuesOf([one]),
      }));
    if (intervalMs === undefined) return [valuesOf(some)];
    const intervals = groupBy(some, (item) => Math.floor(instantOf(item) / intervalMs) * intervalMs);
    return [...intervals].map(([from, inInterval]) => ({ timestamp: iso(from), ...valuesOf(inInterval) }));
  }

  if (groupName === undefined) return [{ data: toRows(items) }];
  return [...groupBy(items, groupOf)].map(([group, some]) => ({ [groupName]: group, data: toRows(some) }));
}

const toStatusCode = (value: unknown): number | null => (typeof value === 'number' ? value : null);
