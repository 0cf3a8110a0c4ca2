/** Computes metrics of analytics, from roll-ups or from single results. Pure. */
import type { Aggregation, NamedMetric } from '../../../contract/analytics-metrics.ts';
import type { Measurement } from '../../store/engine/measurements.ts';
import {
  mergeTallies,
  NO_TIMES,
  percentile,
  type ResponseTimes,
  type Tally,
} from '../../store/engine/rollup-periods.ts';

export type MetricValue = number | string | boolean | null;

/** A result, with what it measured by the base name of the metric. */
export interface Sample extends Omit<Measurement, 'values'> {
  readonly values: Readonly<Record<string, unknown>>;
}

export const NO_RESULTS: Tally = {
  passed: 0,
  degraded: 0,
  failed: 0,
  errors: 0,
  cancelled: 0,
  times: NO_TIMES,
};

/** Returns whether roll-ups have the metric: the outcomes of results, and the distribution of their response times. */
export function isInRollUps({ name, aggregation, metric }: NamedMetric): boolean {
  if (name === 'availability') return true;
  if (aggregation === undefined) return false;
  return metric.at === undefined || (metric.at === 'responseTime' && aggregation !== 'stddev');
}

const PERCENTILES: Readonly<Partial<Record<Aggregation, number>>> = {
  median: 0.5,
  p50: 0.5,
  p90: 0.9,
  p95: 0.95,
  p99: 0.99,
};

/** Rounds to microseconds, or to a thousandth of another unit. */
const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Returns the share of passed results in percent, to four decimal places; null without a verdict. */
function availability(passed: number, failed: number): number | null {
  const total = passed + failed;
  return total === 0 ? null : Math.round((passed / total) * 1_000_000) / 10_000;
}

/** The same for roll-ups. A degraded result has passed. */
export const availabilityOf = ({ passed, degraded, failed }: Tally): number | null =>
  availability(passed + degraded, failed);

/** Returns an aggregation of rolled up times in ms; null without measurements. */
export function aggregateTimes(times: ResponseTimes, aggregation: Aggregation): number | null {
  if (times.count === 0) return null;
  const share = PERCENTILES[aggregation];
  const micros =
    share !== undefined
      ? percentile(times, share)
      : { avg: times.sum / times.count, min: times.least, max: times.most, sum: times.sum }[
          aggregation as string
        ];
  return micros === undefined ? null : round(micros / 1000);
}

function aggregateNumbers(numbers: readonly number[], aggregation: Aggregation): number | null {
  if (numbers.length === 0) return null;
  const sorted = numbers.toSorted((one, other) => one - other);
  const share = PERCENTILES[aggregation];
  if (share !== undefined) return round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0);
  const sum = numbers.reduce((total, value) => total + value, 0);
  const mean = sum / numbers.length;
  const variance = () => numbers.reduce((total, value) => total + (value - mean) ** 2, 0) / numbers.length;
  switch (aggregation) {
    case 'avg':
      return round(mean);
    case 'min':
      return round(sorted[0] ?? 0);
    case 'max':
      return round(sorted.at(-1) ?? 0);
    case 'sum':
      return round(sum);
    default:
      return round(Math.sqrt(variance()));
  }
}

/** Returns a metric of roll-ups that have it; null without results. */
export function valueOfTallies(tallies: readonly Tally[], { aggregation, metric }: NamedMetric): MetricValue {
  const total = tallies.reduce(mergeTallies, NO_RESULTS);
  if (aggregation === undefined) return availabilityOf(total);
  return metric.at === undefined ? null : aggregateTimes(total.times, aggregation);
}

const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Returns a metric of results; null without results, or if none of them measured it. */
export function valueOfSamples(samples: readonly Sample[], { base, aggregation }: NamedMetric): MetricValue {
  if (base === 'availability') {
    const failed = samples.filter(({ hasFailures }) => hasFailures).length;
    return availability(samples.length - failed, failed);
  }
  if (base === 'retries')
    return samples.length === 0 ? null : samples.reduce((sum, { retries }) => sum + retries, 0);
  const measured = samples.map(({ values }) => values[base]);
  if (aggregation !== undefined) return aggregateNumbers(measured.filter(isNumber), aggregation);
  const [value] = measured;
  return isNumber(value) || typeof value === 'string' || typeof value === 'boolean' ? value : null;
}
