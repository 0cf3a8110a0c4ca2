/** A clock that follows the database's, so that services on machines whose clocks differ agree on what is due. */
import type { Clock } from '../../../base/clock.ts';

export interface FollowingClock extends Clock {
  /** The clock of this machine. */
  readonly machine: Clock;
  /** Sets by how many ms the database is ahead of this machine. */
  follow(offsetMs: number): void;
}

/** Smaller differences are within what measuring finds, in ms: the clock does not step for them. */
const LEAST_STEP_MS = 100;

/** Shows the time of the machine until it is told how far the database is ahead. */
export function followingClock(machine: Clock): FollowingClock {
  let aheadMs = 0;
  return {
    machine,
    now: () => machine.now() + aheadMs,
    monotonic: () => machine.monotonic(),
    sleep: (ms, signal) => machine.sleep(ms, signal),
    timer: (ms, then) => machine.timer(ms, then),
    follow(offsetMs) {
      if (Math.abs(offsetMs - aheadMs) > LEAST_STEP_MS) aheadMs = offsetMs;
    },
  };
}
