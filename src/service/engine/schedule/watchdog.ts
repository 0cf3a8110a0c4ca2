/** Notices that the engine makes no progress: a step of the schedule that fails or does not end, and results that are not stored. */
import type { Clock } from '../../../base/clock.ts';

export interface Progress {
  /** Why checks do not run or results are not stored now, as a sentence for everybody; undefined where all is well. */
  readonly problem: string | undefined;
  /** When a tick was claimed last, and a result stored last, in ms since the epoch; null: not since the start. */
  readonly lastTickClaimedAt: number | null;
  readonly lastResultStoredAt: number | null;
}

export interface Watchdog {
  /** Follows a step of the schedule. */
  step<T>(work: () => Promise<T>): Promise<T>;
  /** Follows the storing of a result. */
  store<T>(work: () => Promise<T>): Promise<T>;
  claimed(): void;
  progress(): Progress;
}

/** What takes longer is no progress, in ms. */
const LATE_MS = 5000;

export function watchdog(clock: Clock): Watchdog {
  let lastTickClaimedAt: number | null = null;
  let lastResultStoredAt: number | null = null;
  let hasStepFailed = false;
  const [steps, results] = [new Set<{ readonly at: number }>(), new Set<{ readonly at: number }>()];

  async function follow<T>(under: Set<{ readonly at: number }>, work: () => Promise<T>): Promise<T> {
    const one = { at: clock.monotonic() };
    under.add(one);
    try {
      return await work();
    } finally {
      under.delete(one);
    }
  }
  /** A set keeps the order in which it was filled. */
  const isLate = ([oldest]: Set<{ readonly at: number }>) =>
    oldest !== undefined && clock.monotonic() - oldest.at > LATE_MS;

  function problem(): string | undefined {
    if (isLate(results)) return 'results are waiting to be stored';
    return hasStepFailed || isLate(steps) ? 'checks that are due cannot be started' : undefined;
  }

  return {
    async step(work) {
      try {
        const done = await follow(steps, work);
        hasStepFailed = false;
        return done;
      } catch (error) {
        hasStepFailed = true;
        throw error;
      }
    },
    async store(work) {
      const done = await follow(results, work);
      lastResultStoredAt = clock.now();
      return done;
    },
    claimed() {
      lastTickClaimedAt = clock.now();
    },
    progress: () => ({ problem: problem(), lastTickClaimedAt, lastResultStoredAt }),
  };
}
