/** Detects that the engine makes no progress: failed or stuck schedule steps, and results that are not stored. */
import type { Clock } from '../../../base/clock.ts';

export interface Progress {
  /** Why checks do not run or results are not stored, as a public sentence; undefined if there is no problem. */
  readonly problem: string | undefined;
  /**
   * Times of the last claimed tick and of the last stored result, in ms since the epoch; null: none since the start.
   */
  readonly lastTickClaimedAt: number | null;
  readonly lastResultStoredAt: number | null;
}

export interface Watchdog {
  /** Tracks a step of the schedule. */
  trackStep<T>(work: () => Promise<T>): Promise<T>;
  /** Tracks the storing of a result. */
  trackStore<T>(work: () => Promise<T>): Promise<T>;
  recordClaim(): void;
  progress(): Progress;
}

/** Work that takes longer, in ms, counts as stuck. */
const LATE_MS = 5000;

export function createWatchdog(clock: Clock): Watchdog {
  let lastTickClaimedAt: number | null = null;
  let lastResultStoredAt: number | null = null;
  let hasStepFailed = false;
  const [steps, results] = [new Set<{ readonly at: number }>(), new Set<{ readonly at: number }>()];

  async function track<T>(pending: Set<{ readonly at: number }>, work: () => Promise<T>): Promise<T> {
    const entry = { at: clock.monotonic() };
    pending.add(entry);
    try {
      return await work();
    } finally {
      pending.delete(entry);
    }
  }
  /** A Set keeps insertion order, so its first entry is the oldest. */
  const isLate = ([oldest]: Set<{ readonly at: number }>) =>
    oldest !== undefined && clock.monotonic() - oldest.at > LATE_MS;

  function problem(): string | undefined {
    if (isLate(results)) return 'results are waiting to be stored';
    return hasStepFailed || isLate(steps) ? 'checks that are due cannot be started' : undefined;
  }

  return {
    async trackStep(work) {
      try {
        const done = await track(steps, work);
        hasStepFailed = false;
        return done;
      } catch (error) {
        hasStepFailed = true;
        throw error;
      }
    },
    async trackStore(work) {
      const done = await track(results, work);
      lastResultStoredAt = clock.now();
      return done;
    },
    recordClaim() {
      lastTickClaimedAt = clock.now();
    },
    progress: () => ({ problem: problem(), lastTickClaimedAt, lastResultStoredAt }),
  };
}
