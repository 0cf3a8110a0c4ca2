/** Creates a clock that follows the database's, so that services on several machines agree on what is due. */
import type { Clock } from '../../../base/clock.ts';

export interface FollowingClock extends Clock {
  /** The clock of this machine. */
  readonly machine: Clock;
  /** Sets the offset of the database's clock to this machine's, in ms. */
  follow(offsetMs: number): void;
}

/** Smaller changes of the offset are within the measurement error and are ignored, in ms. */
const MIN_STEP_MS = 100;

/** Returns a clock with the machine's time until the first offset is set. */
export function followingClock(machine: Clock): FollowingClock {
  let currentOffsetMs = 0;
  return {
    machine,
    now: () => machine.now() + currentOffsetMs,
    monotonic: () => machine.monotonic(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    timer: (ms, then) => machine.timer(ms, then),
    follow(offsetMs) {
      if (Math.abs(offsetMs - currentOffsetMs) > MIN_STEP_MS) currentOffsetMs = offsetMs;
    },
  };
}
