/** Fetches how checks did in a range: availability and response times in few requests, and periods for some checks. */
import pLimit from 'p-limit';
import { ApiError } from '../../../src/base/errors.ts';
import type { Deps } from '../../../src/cli/framework/index.ts';
import {
  getCheckStatus,
  getReport,
  listCheckRollUps,
  listCheckStatuses,
  type ResponseOf,
  summarizeChecks,
} from '../../../src/contract/index.ts';
import { toArray } from '../../../src/terminal/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const RANGES = {
  '24h': { durationMs: DAY_MS, periodMs: HOUR_MS, period: 'HOUR', summary: 'last24Hours' },
  '7d': { durationMs: 7 * DAY_MS, periodMs: DAY_MS, period: 'DAY', summary: 'last7Days' },
  // Summaries of 30 days do not exist: the report has no median.
  '30d': { durationMs: 30 * DAY_MS, periodMs: DAY_MS, period: 'DAY', summary: undefined },
} as const;
export type RangeName = keyof typeof RANGES;

/** Checks whose periods are fetched, one request each. */
export const MAX_PERIOD_CHECKS = 50;
/** Checks whose status is fetched, one request each. For more, one request fetches the statuses of the account. */
const MAX_SINGLE_STATUSES = 10;
const CHECKS_PER_SUMMARY = 100;
const CONCURRENCY = 4;

export interface Period {
  readonly startsAt: string;
  readonly results: number;
  readonly failures: number;
  /** Mean response time in ms; null: nothing was measured. */
  readonly responseTime: number | null;
}

interface Summary {
  readonly availability: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface CheckStats extends Summary {
  readonly id: string;
  readonly name: string;
  readonly checkType: string;
  readonly range: RangeName;
  /** Null: the deployment or the number of checks does not allow to count them. */
  readonly results: number | null;
  readonly failures: number | null;
  /** Null: the last result saw no certificate. */
  readonly sslDaysRemaining: number | null;
  readonly periods: readonly Period[];
}

type Work = Pick<Deps, 'client' | 'signal' | 'clock'>;
export interface NamedCheck {
  readonly id: string;
  readonly name: string;
  readonly checkType: string;
}

const NO_SUMMARY: Summary = { availability: null, p50: null, p95: null };

export async function fetchStats(
  deps: Work,
  checks: readonly NamedCheck[],
  range: RangeName,
): Promise<readonly CheckStats[]> {
  const summaries = await fetchSummaries(deps, checks, range);
  const certificateDays = await fetchCertificateDays(deps, checks);
  const periods = await fetchPeriods(deps, checks, range);
  return checks.map(({ id, name, checkType }) => {
    const own = periods?.get(id);
    const count = (field: 'results' | 'failures') =>
      own === undefined ? null : own.reduce((sum, period) => sum + period[field], 0);
    return {
      ...{ id, name, checkType, range },
      ...(summaries.get(id) ?? NO_SUMMARY),
      ...{ results: count('results'), failures: count('failures') },
      ...{ sslDaysRemaining: certificateDays.get(id) ?? null, periods: own ?? [] },
    };
  });
}

async function fetchSummaries(
  { client, signal }: Work,
  checks: readonly NamedCheck[],
  range: RangeName,
): Promise<ReadonlyMap<string, Summary>> {
  const api = await client();
  const { summary: quickRange } = RANGES[range];
  const found = new Map<string, Summary>();
  if (quickRange === undefined) {
    const query = { quickRange: 'last30Days' } as const;
    const { body } = await api.call(getReport, { query }, { signal });
    for (const { checkId, aggregate } of body)
      found.set(checkId, {
        availability: aggregate?.successRatio ?? null,
        p50: null,
        p95: aggregate?.p95 ?? null,
      });
    return found;
  }
  for (let from = 0; from < checks.length; from += CHECKS_PER_SUMMARY) {
    const checkIds = checks.slice(from, from + CHECKS_PER_SUMMARY).map(({ id }) => id);
    const input = { query: { quickRange }, body: { checkIds } };
    const { body } = await api.call(summarizeChecks, input, { signal });
    for (const one of body)
      found.set(one.checkId, {
        availability: one.availability ?? null,
        p50: one.responseTime_p50 ?? one.latency_p50 ?? null,
        p95: one.responseTime_p95 ?? one.latency_p95 ?? null,
      });
  }
  return found;
}

/** Returns the days until certificates expire, by check; none if the deployment has no statuses. */
async function fetchCertificateDays(
  { client, signal }: Work,
  checks: readonly NamedCheck[],
): Promise<ReadonlyMap<string, number | null>> {
  const api = await client();
  const fetchOne = async ({ id }: NamedCheck) =>
    (await api.call(getCheckStatus, { params: { checkId: id } }, { signal }).catch(withoutAbsent))?.body ??
    [];
  const statuses =
    checks.length > MAX_SINGLE_STATUSES
      ? (await api.call(listCheckStatuses, {}, { signal }).catch(withoutAbsent))?.body
      : (await pLimit(CONCURRENCY).map(checks, fetchOne)).flat();
  return new Map((statuses ?? []).map(({ checkId, sslDaysRemaining }) => [checkId, sslDaysRemaining]));
}

/** Returns undefined for what does not exist: a status without results, or an endpoint. */
function withoutAbsent(error: unknown): undefined {
  if (error instanceof ApiError && error.absence !== undefined) return undefined;
  throw error;
}

/** Returns the periods of each check; undefined if there are too many checks, or the deployment has no roll-ups. */
async function fetchPeriods(
  { client, signal, clock }: Work,
  checks: readonly NamedCheck[],
  range: RangeName,
): Promise<ReadonlyMap<string, readonly Period[]> | undefined> {
  if (checks.length > MAX_PERIOD_CHECKS) return undefined;
  const api = await client();
  const { durationMs, periodMs, period } = RANGES[range];
  const start = Math.ceil((clock.now() - durationMs) / periodMs) * periodMs;
  const query = { period, from: start / 1000, limit: 100 };
  const fetchOne = async ({ id }: NamedCheck) => {
    const pages = api.pages(listCheckRollUps, { params: { checkId: id }, query }, { all: true, signal });
    const rows = (await toArray(pages)).flatMap(({ entries }) => entries);
    const count = Math.ceil((clock.now() - start) / periodMs);
    return [id, joinLocations(rows, start, periodMs, count)] as const;
  };
  try {
    return new Map(await pLimit(CONCURRENCY).map(checks, fetchOne));
  } catch (error) {
    if (error instanceof ApiError && error.absence === 'endpoint') return undefined;
    throw error;
  }
}

type RollUp = ResponseOf<typeof listCheckRollUps>['entries'][number];

/** Adds up the locations of each period, oldest first. A period without results has zeros. */
function joinLocations(
  rows: readonly RollUp[],
  start: number,
  periodMs: number,
  count: number,
): readonly Period[] {
  return Array.from({ length: count }, (_, index) => {
    const startsAt = start + index * periodMs;
    const own = rows.filter((row) => Date.parse(row.startsAt) === startsAt);
    const failures = own.reduce((sum, { failed }) => sum + failed, 0);
    const results = own.reduce((sum, { passed, degraded }) => sum + passed + degraded, failures);
    const measured = own.flatMap(({ responseTime }) => responseTime ?? []);
    const measurements = measured.reduce((sum, one) => sum + one.count, 0);
    const total = measured.reduce((sum, one) => sum + one.avg * one.count, 0);
    return {
      startsAt: new Date(startsAt).toISOString(),
      results,
      failures,
      responseTime: measurements === 0 ? null : total / measurements,
    };
  });
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** Draws the mean response time of each period. `×`: the period has failures; `·`: it has no results. */
export function drawTrend(periods: readonly Period[]): string {
  const most = Math.max(...periods.map(({ responseTime }) => responseTime ?? 0));
  return periods
    .map(({ results, failures, responseTime }) => {
      if (failures > 0) return '×';
      if (results === 0 || responseTime === null) return results === 0 ? '·' : LEVELS[0];
      const level = most === 0 ? 0 : Math.ceil((responseTime / most) * LEVELS.length) - 1;
      return LEVELS[Math.max(0, level)];
    })
    .join('');
}
