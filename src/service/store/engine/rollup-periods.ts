/** What results come to over an hour or a day, by location: counts and response times that can be added up. Pure. */
import { addedTimes, type Times, timesOf } from './response-times.ts';

export const PERIODS = ['HOUR', 'DAY'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR_MS = 60 * 60 * 1000;
export const PERIOD_MS: Readonly<Record<Period, number>> = { HOUR: HOUR_MS, DAY: 24 * HOUR_MS };

/** The period of UTC that an instant lies in, by its first instant; ms since the epoch. */
export function startOf(period: Period, instant: number): number {
  return Math.floor(instant / PERIOD_MS[period]) * PERIOD_MS[period];
}

/** How many results there were of each kind: every final result is of exactly one. */
export interface Counts {
  readonly passed: number;
  readonly degraded: number;
  readonly failed: number;
  /** The monitor's own fault: they say nothing about the target. */
  readonly errors: number;
  readonly cancelled: number;
}

export interface Tally extends Counts {
  readonly times: Times;
}

/** A result as far as it is counted. Flags as the store has them. */
export interface Countable {
  readonly has_failures: number;
  readonly has_errors: number;
  readonly is_degraded: number;
  readonly is_cancelled: number;
  readonly response_time_us: number | null;
}

/** Which of the five a result is: what was cancelled found nothing, and an error of ours hides what the target did. */
function kindOf(result: Countable): keyof Counts {
  if (result.is_cancelled === 1) return 'cancelled';
  if (result.has_errors === 1) return 'errors';
  if (result.has_failures === 1) return 'failed';
  return result.is_degraded === 1 ? 'degraded' : 'passed';
}

/** What some results come to. */
export function tallyOf(results: readonly Countable[]): Tally {
  const counts = { passed: 0, degraded: 0, failed: 0, errors: 0, cancelled: 0 };
  const measured: number[] = [];
  for (const result of results) {
    const kind = kindOf(result);
    counts[kind] += 1;
    const counted = kind !== 'cancelled' && kind !== 'errors';
    if (counted && result.response_time_us !== null) measured.push(result.response_time_us);
  }
  return { ...counts, times: timesOf(measured) };
}

export function added(one: Tally, other: Tally): Tally {
  return {
    passed: one.passed + other.passed,
    degraded: one.degraded + other.degraded,
    failed: one.failed + other.failed,
    errors: one.errors + other.errors,
    cancelled: one.cancelled + other.cancelled,
    times: addedTimes(one.times, other.times),
  };
}
