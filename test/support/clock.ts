/** Clocks for tests: one that the test moves without real waiting, and two that make tests with real sockets independent of the machine's speed. */
import { type Clock, createSleep, systemClock } from '../../src/base/clock.ts';

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

/** Real input and output takes less, also on a slow machine, in ms. */
const HANG_MS = 60_000;

/** `turns`: how many turns of the event loop are left to whoever was woken; promises alone need one. */
export function createManualClock(start = Date.UTC(2026, 10, 21, 8), turns = 5): ManualClock {
  /** Lets everything that is ready run: promises and what they resolve. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  let elapsed = 0;
  let offset = start;
  const sleepers = new Set<Sleeper>();
  const next = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) if (first === undefined || sleeper.at < first.at) first = sleeper;
    return first;
  };

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
    sleep: createSleep(timer),
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
      let busyAt = systemClock.monotonic();
      while (!settled) {
        await settle();
        const due = settled ? undefined : next();
        if (due) {
          busyAt = systemClock.monotonic();
          elapsed = Math.max(elapsed, due.at);
          due.wake();
        } else if (!settled) {
          if (systemClock.monotonic() - busyAt > HANG_MS)
            throw new Error('Nobody sleeps, and nothing settles');
          await systemClock.sleep(1);
        }
      }
      return promise;
    },
    get sleeping() {
      return sleepers.size;
    },
  };
  return clock;
}

/** How many real milliseconds one millisecond of the patient clock takes. */
const PATIENCE = 10;

/** The system clock slowed down: for tests in which an answer arrives, so that no timeout fires on a slow machine. */
export const patientClock: Clock = {
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() / PATIENCE,
  sleep: (ms, signal) => systemClock.sleep(ms * PATIENCE, signal),
  timer: (ms, then) => systemClock.timer(ms * PATIENCE, then),
};

/** The real time that one step of a stepping clock takes, in ms. */
const STEP_MS = 5;

/**
 * Returns a clock that moves by `stepMs` at a time while a timer is pending: for tests in which a timeout fires. The event loop
 * serves every ready socket between two steps, so a pause of the process counts as one step.
 */
export function createSteppingClock(stepMs: number): Clock {
  const clock = createManualClock();
  let isStepping = false;
  const step = async () => {
    isStepping = true;
    while (clock.sleeping > 0) {
      await systemClock.sleep(STEP_MS);
      await clock.advance(stepMs);
    }
    isStepping = false;
  };
  const timer: Clock['timer'] = (ms, then) => {
    const callOff = clock.timer(ms, then);
    if (!isStepping) void step();
    return callOff;
  };
  return { now: clock.now, monotonic: clock.monotonic, sleep: createSleep(timer), timer };
}

/** A stepping clock that is twenty times as fast as the system clock. */
export const hastyClock = createSteppingClock(20 * STEP_MS);
