/**
 * Aggregates response times: count, sum, minimum, maximum, and a histogram whose buckets are 2 % wide, so that percentiles
 * are accurate to 1 %. Aggregates can be merged. Pure.
 */

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
