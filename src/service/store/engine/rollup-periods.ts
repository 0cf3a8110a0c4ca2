/** Aggregates results of an hour or a day into counts and response times that can be merged. Pure. */
import { aggregateTimes, mergeTimes, type ResponseTimes } from './response-times.ts';

export const PERIODS = ['HOUR', 'DAY'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 60 * 60 * 1000;
export const PERIOD_MS: Readonly<Record<Period, number>> = { HOUR: HOUR_MS, DAY: 24 * HOUR_MS };

/** Returns the start of the UTC period that contains an instant; ms since the epoch. */
export function periodStart(period: Period, instant: number): number {
  return Math.floor(instant / PERIOD_MS[period]) * PERIOD_MS[period];
}

/** Numbers of final results by outcome: each has exactly one. */
export interface OutcomeCounts {
  readonly passed: number;
  readonly degraded: number;
  readonly failed: number;
  /** Monitor errors, which say nothing about the target. */
  readonly errors: number;
  readonly cancelled: number;
}

export interface Tally extends OutcomeCounts {
  readonly times: ResponseTimes;
}

/** The fields of a result that the aggregation needs. */
export interface CountableResult {
  readonly has_failures: number;
  readonly has_errors: number;
  readonly is_degraded: number;
  readonly is_cancelled: number;
  readonly response_time_us: number | null;
}

/** Returns the outcome of a result. A cancelled result has no verdict, and a monitor error hides the target's behaviour. */
function outcomeOf(result: CountableResult): keyof OutcomeCounts {
  if (result.is_cancelled === 1) return 'cancelled';
  if (result.has_errors === 1) return 'errors';
  if (result.has_failures === 1) return 'failed';
  return result.is_degraded === 1 ? 'degraded' : 'passed';
}

/** Aggregates results. */
export function aggregateResults(results: readonly CountableResult[]): Tally {
  const counts = { passed: 0, degraded: 0, failed: 0, errors: 0, cancelled: 0 };
  const measured: number[] = [];
  for (const result of results) {
    const kind = outcomeOf(result);
    counts[kind] += 1;
    const counted = kind !== 'cancelled' && kind !== 'errors';
    if (counted && result.response_time_us !== null) measured.push(result.response_time_us);
  }
  return { ...counts, times: aggregateTimes(measured) };
}

/** Merges two aggregates. */
export function mergeTallies(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    degraded: one.degraded + other.degraded,
    failed: one.failed + other.failed,
    errors: one.errors + other.errors,
    cancelled: one.cancelled + other.cancelled,
    times: mergeTimes(one.times, other.times),
  };
}
