/** Tracks whether the agent makes progress. Being busy or offline is fine, being stuck is not. */
import type { Clock } from '../base/clock.ts';

/** Progress of the claim loop. Each of its steps has a time limit. */
export interface Liveness {
  /** Records progress and announces the next one within `withinMs`. */
  beat(withinMs: number): void;
  isAlive(): boolean;
}

/** Tolerance before the agent counts as stuck, in ms, for busy machines. */
const TOLERANCE_MS = 60_000;

export function createLiveness(clock: Pick<Clock, 'monotonic'>): Liveness {
  let nextBy = clock.monotonic();
  return {
    beat(withinMs) {
      nextBy = clock.monotonic() + withinMs;
    },
    isAlive: () => clock.monotonic() <= nextBy + TOLERANCE_MS,
  };
}
