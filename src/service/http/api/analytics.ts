/** Handles analytics of one check, summaries of several, and reports on all. */
import { timezoneProblem } from '../../../base/cron.ts';
import {
  AGGREGATIONS,
  ANALYTICS,
  DEFAULT_SUITE_RUNS,
  isOutcomeMetric,
  metricsOf,
  type NamedMetric,
  type QuickRange,
} from '../../../contract/analytics-metrics.ts';
import { CHECK_TYPE_NAMES, type CheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type {
  getDnsCheckAnalytics,
  getReport,
  listSuiteTests,
  QueryOf,
  ResponseOf,
  summarizeChecks,
} from '../../../contract/index.ts';
import { calendarBuckets } from '../../engine/results/calendar-buckets.ts';
import { aggregateTimes, availabilityOf } from '../../engine/results/metric-values.ts';
import {
  computeTestStatistics,
  sortTests,
  type TestStatistics,
} from '../../engine/results/test-statistics.ts';
import { quickRange, resolveRange, secondsToMs, type TimeRange } from '../../engine/results/time-range.ts';
import type { Tally } from '../../store/engine/rollup-periods.ts';
import type { CheckRecord } from '../../store/index.ts';
import { pageSlice } from '../../store/lists.ts';
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { presentRows, Rows } from './list-responder.ts';
import { assertValid, invalid, notFound, violation } from './problem.ts';
import { requireCheck } from './references.ts';

/** The endpoints with the analytics of one type. */
type AnalyticsEndpoint = Extract<keyof Handlers, `get${string}CheckAnalytics`>;

/** A request of any type; not every type has all of its parameters. */
interface AnalyticsCall {
  readonly accountId: string;
  readonly params: { readonly id: string };
  readonly query: {
    readonly metrics: readonly string[];
    readonly from?: number;
    readonly to?: number;
    readonly quickRange?: QuickRange;
    readonly aggregationInterval?: number;
    readonly groupBy?: 'runLocation' | 'statusCode';
    readonly filterByStatus?: readonly ('success' | 'failure')[];
    readonly limit: number;
    readonly page: number;
  };
}

const MINUTE_MS = 60_000;

const METRICS = Object.fromEntries(
  CHECK_TYPE_NAMES.map((type) => [type, metricsOf(ANALYTICS[type])]),
) as Readonly<Record<CheckType, readonly NamedMetric[]>>;

const tooManyResults = () =>
  invalid([
    violation(
      'query',
      ['from'],
      'range',
      'selects too many results for these metrics: choose a shorter range, or availability and response times only',
    ),
  ]);

function assertOrder({ from, to }: TimeRange): void {
  if (from > to) assertValid([violation('query', ['to'], 'range', 'must not be before from')]);
}

/** Returns the buckets of a report; undefined without a granularity. Throws `Problem` 400. */
function bucketsOf({ granularity, timezone = 'UTC' }: QueryOf<typeof getReport>, range: TimeRange) {
  // Node also knows offsets, which have no clock changes.
  const problem =
    timezoneProblem(timezone) ?? (/^[+-]/.test(timezone) ? 'must be an IANA time zone' : undefined);
  if (problem !== undefined) assertValid([violation('query', ['timezone'], 'timezone', problem)]);
  if (granularity === undefined) return undefined;
  const buckets = calendarBuckets(range, granularity, timezone);
  const message = `selects more than 400 days or 120 buckets of a ${granularity}: choose a shorter range`;
  if (buckets === undefined) throw invalid([violation('query', ['granularity'], 'range', message)]);
  return buckets;
}

type Metadata = ResponseOf<typeof getDnsCheckAnalytics>['metadata'];
const toMetadata = (metrics: readonly NamedMetric[]): Metadata =>
  Object.fromEntries(
    metrics.map(({ name, metric: { unit, label }, aggregation }) => [
      name,
      { unit, label, ...(aggregation === undefined ? {} : { aggregation }) },
    ]),
  );

type SuiteTest = ResponseOf<typeof listSuiteTests>['tests'][number];
type Summary = ResponseOf<typeof summarizeChecks>[number];
const SUMMARIZED = AGGREGATIONS.filter((name) => ['avg', 'p50', 'p95', 'p99'].includes(name));
const PACKET_LOSS = METRICS.ICMP.filter(({ name }) => /^packetLoss_(?:avg|p95|p99)$/.test(name));

const presentTest = ({ title, counts, flakiness, duration, runs }: TestStatistics): SuiteTest => ({
  title,
  ...counts,
  flakiness: flakiness === null ? null : Math.round(flakiness * 10_000) / 100,
  duration_avg: duration?.avg ?? null,
  duration_p50: duration?.p50 ?? null,
  duration_p95: duration?.p95 ?? null,
  duration_max: duration?.max ?? null,
  runs: runs.map(({ startedAt, location, outcome, durationMs }) => ({
    startedAt: toIso(startedAt),
    runLocation: location,
    status: outcome,
    duration: durationMs,
  })),
});

export function analyticsHandlers({ store, analytics, clock }: HandlerContext) {
  async function read(type: CheckType, { accountId, params, query }: AnalyticsCall) {
    const check = await requireCheck(store, accountId, params.id);
    if (check.type !== type) throw notFound(`${CHECK_TYPES[type].label} check ${params.id}`);
    const range = resolveRange(query, clock.now());
    assertOrder(range);
    const metrics = METRICS[type].filter(({ name }) => query.metrics.includes(name));
    const { aggregationInterval: minutes, groupBy, filterByStatus: statuses } = query;
    const found = await analytics.read({
      ...range,
      accountId,
      checkId: check.id,
      metrics,
      intervalMs: minutes === undefined ? undefined : minutes * MINUTE_MS,
      groupBy,
      statuses,
    });
    if (found === undefined) throw tooManyResults();
    const { limit, offset } = pageSlice(query);
    return {
      checkId: check.id,
      name: check.name,
      checkType: type,
      activated: check.activated,
      muted: check.muted,
      frequency: check.frequency,
      from: toIso(found.from),
      to: toIso(Math.min(found.to, Math.max(found.from, clock.now()))),
      tags: [...(check.body.tags ?? [])],
      series: found.series.map(({ data, ...group }) => ({
        ...group,
        data: data.slice(offset, offset + limit),
      })),
      pagination: { page: query.page, limit },
      metadata: toMetadata(metrics),
    };
  }

  const typedHandlers = Object.fromEntries(
    CHECK_TYPE_NAMES.map((type) => [
      CHECK_TYPES[type].analyticsName,
      (call: AnalyticsCall) => read(type, call),
    ]),
  ) as unknown as Pick<Handlers, AnalyticsEndpoint>;

  async function tallyOf({ accountId, id: checkId }: CheckRecord, range: TimeRange) {
    const total = await analytics.total({ accountId, checkId }, range);
    if (total === undefined) throw tooManyResults();
    return total.tally;
  }

  async function packetLossOf(check: CheckRecord, range: TimeRange): Promise<Partial<Summary> | undefined> {
    const { accountId, id: checkId } = check;
    const found = await analytics.read({ ...range, accountId, checkId, metrics: PACKET_LOSS });
    return found?.series[0]?.data[0] as Partial<Summary> | undefined;
  }

  /** Returns the fields of a summary that apply to the type of the check. */
  async function summarize(check: CheckRecord, range: TimeRange): Promise<Summary> {
    const { id: checkId, type } = check;
    const tally = await tallyOf(check, range);
    const prefix = type === 'ICMP' ? 'latency' : 'responseTime';
    const times = SUMMARIZED.map((name) => [`${prefix}_${name}`, aggregateTimes(tally.times, name)]);
    return {
      checkId,
      checkType: type,
      availability: availabilityOf(tally),
      ...(type === 'HEARTBEAT' ? {} : (Object.fromEntries(times) as Partial<Summary>)),
      ...(type === 'ICMP' ? await packetLossOf(check, range) : {}),
    };
  }

  function aggregate(tally: Tally) {
    const successRatio = availabilityOf(tally);
    if (successRatio === null) return undefined;
    const time = (name: 'avg' | 'p95' | 'p99') => aggregateTimes(tally.times, name) ?? 0;
    return { successRatio, avg: time('avg'), p95: time('p95'), p99: time('p99') };
  }

  async function aggregatesOf({ accountId, id: checkId }: CheckRecord, buckets: readonly TimeRange[]) {
    const totals = await analytics.totals({ accountId, checkId }, buckets);
    if (totals === undefined) throw tooManyResults();
    return totals.flatMap(({ from, to, tally }) => {
      const values = aggregate(tally);
      return values === undefined ? [] : [{ ...values, from: toIso(from), to: toIso(to) }];
    });
  }

  async function report(check: CheckRecord, range: TimeRange, buckets: readonly TimeRange[] | undefined) {
    const total = buckets === undefined ? aggregate(await tallyOf(check, range)) : undefined;
    return {
      name: check.name,
      checkId: check.id,
      checkType: check.type,
      deactivated: !check.activated,
      tags: [...(check.body.tags ?? [])],
      ...(total === undefined ? {} : { aggregate: total }),
      ...(buckets === undefined ? {} : { aggregates: await aggregatesOf(check, buckets) }),
    };
  }

  return {
    ...typedHandlers,

    async listMetrics({ query: { checkType } }) {
      return METRICS[checkType].map(({ name, base, metric, aggregation }) => ({
        name,
        unit: metric.unit,
        label: metric.label,
        type: metric.isText === true ? 'String' : 'Float',
        aggregated: aggregation !== undefined || isOutcomeMetric({ base }),
      }));
    },

    async summarizeChecks({ accountId, query, body }) {
      const range = quickRange(query.quickRange ?? 'last24Hours', clock.now());
      const checks = await store.checks.byIds(accountId, [...new Set(body.checkIds)]);
      const summaries: Summary[] = [];
      for (const check of checks) summaries.push(await summarize(check, range));
      return summaries;
    },

    async listSuiteTests({ accountId, params, query }) {
      const check = await requireCheck(store, accountId, params.id);
      if (check.type !== 'PLAYWRIGHT') throw notFound(`Playwright check ${params.id}`);
      const [from, to] = [query.from, query.to].map((seconds) => seconds && secondsToMs(seconds));
      assertOrder({ from: from ?? 0, to: to ?? Number.POSITIVE_INFINITY });
      const filter = { accountId, checkId: check.id, from, to, limit: query.results ?? DEFAULT_SUITE_RUNS };
      const runs = await analytics.suiteRuns(filter);
      const [first, last] = [runs[0], runs.at(-1)].map((run) =>
        run === undefined ? null : toIso(run.startedAt),
      );
      const tests = sortTests(computeTestStatistics(runs), query.sortBy ?? 'flakiness');
      return {
        checkId: check.id,
        name: check.name,
        results: runs.length,
        from: first ?? null,
        to: last ?? null,
        tests: tests.map(presentTest),
      };
    },

    async getReport({ accountId, query }) {
      const range = resolveRange(query, clock.now());
      assertOrder(range);
      const { filterByTags = [], deactivated } = query;
      const buckets = bucketsOf(query, range);
      const isWanted = ({ activated, body: { tags = [] } }: CheckRecord) =>
        filterByTags.every((tag) => tags.includes(tag)) &&
        (deactivated === undefined || activated !== deactivated);
      return new Rows(
        presentRows({ chunks: store.checks.walk(accountId) }, async (checks) => {
          const reports: Awaited<ReturnType<typeof report>>[] = [];
          for (const check of checks.filter(isWanted)) reports.push(await report(check, range, buckets));
          return reports;
        }),
      );
    },
  } satisfies Partial<Handlers>;
}
