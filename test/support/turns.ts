/** Measures how much work the service does in one turn of the event loop: in steps, not in time. */
import type { Clock } from '../../src/base/clock.ts';

export interface CountedTurns {
  /** A clock on which each step of limited work takes 1 ms. */
  readonly clock: Clock;
  /** Does some work. Returns its steps, and the most steps in one turn. */
  during<T>(
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly steps: number; readonly most: number }>;
}

/** Counts the readings of a clock: limited work reads it once for each step. */
export function countTurns(inner: Clock): CountedTurns {
  let [readings, inTurn, most] = [0, 0, 0];
  const monotonic = () => {
    readings += 1;
    inTurn += 1;
    most = Math.max(most, inTurn);
    return inner.monotonic() + readings;
  };
  return {
    clock: { ...inner, monotonic },
    async during(work) {
      let isOver = false;
      const turn = () => {
        inTurn = 0;
        if (!isOver) setImmediate(turn);
      };
      setImmediate(turn);
      const before = readings;
      [inTurn, most] = [0, 0];
      try {
        return { result: await work(), steps: readings - before, most };
      } finally {
        isOver = true;
      }
    },
  };
}
