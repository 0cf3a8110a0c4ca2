/** A clock that a test moves: sleeps end when time is moved past them, in their order, without any real waiting. */
import { type Clock, sleepBy } from '../../src/base/clock.ts';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export interface ManualClock extends Clock {
  /** Moves both clocks on, waking whoever sleeps until then, each at its own time. */
  advance(ms: number): Promise<void>;
  /** Steps the wall clock alone, as setting the machine's clock does. */
  step(ms: number): void;
  /** Moves from sleeper to sleeper until the promise settles. Fails where nobody sleeps and nothing settles. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** How many sleep now. */
  readonly sleeping: number;
}

/** `turns`: how many turns of the event loop are left to whoever was woken; promises alone need one. */
export function createManualClock(start = Date.UTC(2026, 10, 21, 8), turns = 5): ManualClock {
  /** Lets everything that is ready run: promises and what they resolve. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  let elapsed = 0;
  let offset = start;
  const sleepers = new Set<Sleeper>();
  const next = (): Sleeper | undefined => [...sleepers].sort((a, b) => a.at - b.at)[0];

  const timer: Clock['timer'] = (ms, then) => {
    const sleeper: Sleeper = {
      at: elapsed + Math.max(0, ms),
      wake() {
        sleepers.delete(sleeper);
        then();
      },
    };
    sleepers.add(sleeper);
    return () => sleepers.delete(sleeper);
  };

  const clock: ManualClock = {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    sleep: sleepBy(timer),
    timer,
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let due = next(); due && due.at <= until; due = next()) {
        elapsed = Math.max(elapsed, due.at);
        due.wake();
        await settle();
      }
      elapsed = until;
      await settle();
    },
    step(ms) {
      offset += ms;
    },
    async run(promise) {
      let settled = false;
      const done = () => {
        settled = true;
      };
      promise.then(done, done);
      for (let idle = 0; !settled; ) {
        await settle();
        const due = settled ? undefined : next();
        if (due) {
          idle = 0;
          elapsed = Math.max(elapsed, due.at);
          due.wake();
        } else if (!settled && ++idle > 200) throw new Error('Nobody sleeps, and nothing settles');
      }
      return promise;
    },
    get sleeping() {
      return sleepers.size;
    },
  };
  return clock;
}
