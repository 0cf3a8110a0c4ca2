/** Retries, planned: whether a failed attempt is followed by another, when and where. Pure. */

/** How a failed attempt is tried again, its defaults filled in (docs/gaps.md, retryStrategy object). */
export interface RetryPlan {
  readonly type: 'FIXED' | 'LINEAR' | 'EXPONENTIAL' | 'SINGLE_RETRY';
  readonly maxRetries: number;
  readonly baseBackoffSeconds: number;
  /** Seconds after the start of the first attempt from which on no retry starts. */
  readonly maxDurationSeconds: number;
  readonly sameRegion: boolean;
  /** True: only faults of the network are tried again. */
  readonly onlyOnNetworkError: boolean;
}

/** A strategy as a check or group writes it. */
export interface RetryStrategyWritten {
  readonly type?: string;
  readonly maxRetries?: number;
  readonly baseBackoffSeconds?: number;
  readonly maxDurationSeconds?: number;
  readonly sameRegion?: boolean;
  readonly onlyOn?: readonly string[];
}

/** What `doubleCheck: true` means (docs/gaps.md). */
export const DOUBLE_CHECK: RetryPlan = {
  type: 'FIXED',
  maxRetries: 1,
  baseBackoffSeconds: 0,
  maxDurationSeconds: 600,
  sameRegion: false,
  onlyOnNetworkError: false,
};

export function retryPlanOf(written: RetryStrategyWritten): RetryPlan {
  const type = retryType(written.type);
  return {
    type,
    maxRetries: type === 'SINGLE_RETRY' ? 1 : (written.maxRetries ?? 2),
    baseBackoffSeconds: written.baseBackoffSeconds ?? 60,
    maxDurationSeconds: written.maxDurationSeconds ?? 600,
    sameRegion: written.sameRegion ?? true,
    onlyOnNetworkError: written.onlyOn?.includes('NETWORK_ERROR') ?? false,
  };
}

/** An attempt that is over, as far as retrying it goes. */
export interface FailedAttempt {
  /** 0 for the first. */
  readonly attempt: number;
  readonly location: string;
  /** When the first attempt started, and when this one stopped; ms since the epoch. */
  readonly firstStartedAt: number;
  readonly stoppedAt: number;
  /** When that was heard of: an agent may have been out of reach for long. */
  readonly heardAt: number;
  readonly isNetworkError: boolean;
}

export interface Retry {
  /** Milliseconds since the epoch before which it must not start. */
  readonly notBefore: number;
  readonly location: string;
}

/**
 * The retry that follows a bad attempt, or undefined where it was the last. `elsewhere`: the locations that a retry in
 * another region may use, in their order.
 */
export function planRetry(
  plan: RetryPlan | null,
  failed: FailedAttempt,
  elsewhere: readonly string[],
): Retry | undefined {
  if (plan === null || failed.attempt >= plan.maxRetries) return undefined;
  if (plan.onlyOnNetworkError && !failed.isNetworkError) return undefined;
  const pausedUntil = failed.stoppedAt + backoffSeconds(plan, failed.attempt + 1) * 1000;
  const notBefore = Math.max(pausedUntil, failed.heardAt);
  if (notBefore - failed.firstStartedAt >= plan.maxDurationSeconds * 1000) return undefined;
  return { notBefore, location: plan.sameRegion ? failed.location : nextOf(elsewhere, failed.location) };
}

/** Seconds of pause before the nth retry: FIXED base, LINEAR base·n, EXPONENTIAL baseⁿ. */
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

function nextOf(locations: readonly string[], current: string): string {
  const at = locations.indexOf(current);
  return locations[(at + 1) % locations.length] ?? current;
}

function retryType(type: string | undefined): RetryPlan['type'] {
  return type === 'LINEAR' || type === 'EXPONENTIAL' || type === 'SINGLE_RETRY' ? type : 'FIXED';
}
