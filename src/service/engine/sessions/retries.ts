/** Plans retries: whether, when and where a failed attempt is repeated. Pure. */

const RETRY_TYPES = ['FIXED', 'LINEAR', 'EXPONENTIAL', 'SINGLE_RETRY'] as const;

/** A retry strategy with its defaults applied (docs/gaps.md, retryStrategy object). */
export interface RetryPlan {
  readonly type: (typeof RETRY_TYPES)[number];
  readonly maxRetries: number;
  readonly baseBackoffSeconds: number;
  /** No retry starts later than this after the start of the first attempt. */
  readonly maxDurationSeconds: number;
  readonly sameRegion: boolean;
  /** True: only network errors are retried. */
  readonly onlyOnNetworkError: boolean;
}

/** The strategy in the body of a check or group. */
export interface RetryStrategy {
  readonly type?: string;
  readonly maxRetries?: number;
  readonly baseBackoffSeconds?: number;
  readonly maxDurationSeconds?: number;
  readonly sameRegion?: boolean;
  readonly onlyOn?: readonly string[];
}

/** The strategy of `doubleCheck: true` (docs/gaps.md). */
export const DOUBLE_CHECK: RetryPlan = {
  type: 'FIXED',
  maxRetries: 1,
  baseBackoffSeconds: 0,
  maxDurationSeconds: 600,
  sameRegion: false,
  onlyOnNetworkError: false,
};

export function toRetryPlan(written: RetryStrategy): RetryPlan {
  const type = RETRY_TYPES.find((known) => known === written.type) ?? 'FIXED';
  return {
    type,
    maxRetries: type === 'SINGLE_RETRY' ? 1 : (written.maxRetries ?? 2),
    baseBackoffSeconds: written.baseBackoffSeconds ?? 60,
    maxDurationSeconds: written.maxDurationSeconds ?? 600,
    sameRegion: written.sameRegion ?? true,
    onlyOnNetworkError: written.onlyOn?.includes('NETWORK_ERROR') ?? false,
  };
}

/** The fields of a failed attempt that determine its retry. */
export interface FailedAttempt {
  /** 0 for the first. */
  readonly attempt: number;
  readonly location: string;
  /** Start of the first attempt and end of this one, in ms since the epoch. */
  readonly firstStartedAt: number;
  readonly stoppedAt: number;
  /** Arrival of the report. An agent may have been unreachable for long. */
  readonly receivedAt: number;
  readonly isNetworkError: boolean;
}

export interface Retry {
  /** Earliest start, in ms since the epoch. */
  readonly notBefore: number;
  readonly location: string;
}

/**
 * Returns the retry of a failed attempt, or undefined if it was the last. `elsewhere` lists the locations for retries
 * in another region, in order.
 */
export function planRetry(
  plan: RetryPlan | null,
  failed: FailedAttempt,
  elsewhere: readonly string[],
): Retry | undefined {
  if (plan === null || failed.attempt >= plan.maxRetries) return undefined;
  if (plan.onlyOnNetworkError && !failed.isNetworkError) return undefined;
  const pausedUntil = failed.stoppedAt + backoffSeconds(plan, failed.attempt + 1) * 1000;
  const notBefore = Math.max(pausedUntil, failed.receivedAt);
  if (notBefore - failed.firstStartedAt >= plan.maxDurationSeconds * 1000) return undefined;
  return {
    notBefore,
    location: plan.sameRegion ? failed.location : nextLocation(elsewhere, failed.location),
  };
}

/** Returns the seconds before the nth retry: FIXED base, LINEAR base·n, EXPONENTIAL baseⁿ. */
export function backoffSeconds(plan: RetryPlan, n: number): number {
  switch (plan.type) {
    case 'FIXED':
    case 'SINGLE_RETRY':
      return plan.baseBackoffSeconds;
    case 'LINEAR':
      return plan.baseBackoffSeconds * n;
    case 'EXPONENTIAL':
      return plan.baseBackoffSeconds ** n;
    default:
      return plan.type satisfies never;
  }
}

function nextLocation(locations: readonly string[], current: string): string {
  const at = locations.indexOf(current);
  return locations[(at + 1) % locations.length] ?? current;
}
