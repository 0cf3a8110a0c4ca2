/**
 * Aggregates results of an hour or a day into counts and response times that can be merged. Response times have a histogram
 * whose buckets are 2 % wide, so that percentiles are accurate to 1 %. Pure.
 */

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

/** Aggregated times in microseconds. Stored as JSON. */
export interface ResponseTimes {
  readonly count: number;
  readonly sum: number;
  /** 0 if nothing was measured. */
  readonly least: number;
  readonly most: number;
  /** Count by bucket. Bucket n contains times in (1.02ⁿ⁻¹, 1.02ⁿ], bucket 0 times up to 1 µs. */
  readonly classes: Readonly<Record<string, number>>;
}

export const NO_TIMES: ResponseTimes = { count: 0, sum: 0, least: 0, most: 0, classes: {} };

const BUCKET_WIDTH = Math.log(1.02);

const bucketOf = (micros: number): number => (micros <= 1 ? 0 : Math.ceil(Math.log(micros) / BUCKET_WIDTH));
/** Returns the value that represents a bucket: it has the same relative error to both bounds. */
const bucketValue = (number: number): number => (number === 0 ? 1 : (2 * 1.02 ** number) / (1 + 1.02));

/** Aggregates measurements in microseconds. */
export function aggregateTimes(measured: readonly number[]): ResponseTimes {
  const classes: Record<string, number> = {};
  let [sum, least, most] = [0, Number.POSITIVE_INFINITY, 0];
  for (const micros of measured) {
    const name = String(bucketOf(micros));
    classes[name] = (classes[name] ?? 0) + 1;
    sum += micros;
    least = Math.min(least, micros);
    most = Math.max(most, micros);
  }
  return measured.length === 0 ? NO_TIMES : { count: measured.length, sum, least, most, classes };
}

/** Merges two aggregates. The order does not matter. */
export function mergeTimes(one: ResponseTimes, other: ResponseTimes): ResponseTimes {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  const classes: Record<string, number> = { ...one.classes };
  for (const [name, count] of Object.entries(other.classes)) classes[name] = (classes[name] ?? 0) + count;
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    least: Math.min(one.least, other.least),
    most: Math.max(one.most, other.most),
    classes,
  };
}

/** Returns a percentile (nearest rank), accurate to 1 %; `share` is between 0 and 1. Undefined without measurements. */
export function percentile(times: ResponseTimes, share: number): number | undefined {
  if (times.count === 0) return undefined;
  let left = Math.max(1, Math.ceil(share * times.count));
  const classes = Object.entries(times.classes)
    .map(([name, count]) => [Number(name), count] as const)
    .sort(([one], [other]) => one - other);
  for (const [number, count] of classes) {
    left -= count;
    if (left <= 0) return Math.min(times.most, Math.max(times.least, bucketValue(number)));
  }
  return times.most;
}
