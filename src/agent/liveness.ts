/** Whether the agent moves: that it is busy or cannot reach the service is no fault of its own, that it stands still is. */
import type { Clock } from '../base/clock.ts';

/** What the claim loop does, each with an end: a question is answered or timed out, a rest is over, a run has its deadline. */
export interface Liveness {
  /** It goes on now, and does so again within so many ms. */
  beat(withinMs: number): void;
  isAlive(): boolean;
}

/** So much later than it should move it counts as stuck, in ms: a machine may be that busy. */
const PATIENCE_MS = 60_000;

export function createLiveness(clock: Pick<Clock, 'monotonic'>): Liveness {
  let nextBy = clock.monotonic();
  return {
    beat(withinMs) {
      nextBy = clock.monotonic() + withinMs;
    },
    isAlive: () => clock.monotonic() <= nextBy + PATIENCE_MS,
  };
}
