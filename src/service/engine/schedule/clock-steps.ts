/** What is done where the machine's clock was set: what is under way keeps its time, and no check waits for a tick far ahead. */
import type { Clock } from '../../../base/clock.ts';
import { lastRunAt, periodOf } from '../../../calendar/grid.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import { scheduleOf } from './tick-plan.ts';

/** What differs less from time that passed, in ms, is no step: clocks are slewed all the time. */
const LEAST_STEP_MS = 1000;
const AT_ONCE = 100;

/** By how many ms the wall clock was set since the last call, or since it was made; 0: it was not. */
export function stepsOf(clock: Clock): () => number {
  let before = clock.now() - clock.monotonic();
  return () => {
    const offset = clock.now() - clock.monotonic();
    const step = offset - before;
    before = offset;
    return Math.abs(step) < LEAST_STEP_MS ? 0 : step;
  };
}

/** Follows the machine's clock where it is set. */
export interface ClockFollower {
  /** Looks at the clock, and does what follows where it was set; what could not be done is done at the next look. */
  follow(): Promise<void>;
  /** Does what follows where it may have been set while nobody looked: that is seen by what is there. */
  takeUp(): Promise<void>;
}

/**
 * What waits or runs keeps the time that it had left when the clock is set; where services on other machines, with clocks
 * of their own, share the store, it is left as it is. Ticks that the clock had run ahead of come at their own time again, and
 * are not missed any more; one that has had its session has no second.
 */
export function clockFollower(
  store: EngineStore,
  clock: Clock,
  whileAlone: (work: () => Promise<void>) => Promise<unknown>,
): ClockFollower {
  let stepOf = stepsOf(clock);
  /** By how many ms what is under way is still to be moved. */
  let owed = 0;
  let isBehind = false;
  let catchingUp: Promise<void> | undefined;

  const move = (ms: number) => whileAlone(() => store.atomically((data) => shift(data, ms, clock.now())));
  async function comeBackAll(): Promise<void> {
    while ((await store.atomically((data) => comeBack(data, clock.now()))) >= AT_ONCE);
  }

  async function catchUp(): Promise<void> {
    while (isBehind) {
      const by = owed;
      if (by !== 0) {
        await move(by);
        // It may have been set once more meanwhile.
        owed -= by;
      } else {
        await comeBackAll();
        isBehind = owed !== 0;
      }
    }
  }

  return {
    async follow() {
      const step = stepOf();
      owed += step;
      isBehind ||= step !== 0;
      if (!isBehind) return;
      catchingUp ??= catchUp().finally(() => {
        catchingUp = undefined;
      });
      await catchingUp;
    },
    async takeUp() {
      stepOf = stepsOf(clock);
      owed = 0;
      isBehind = false;
      await move(0);
      await comeBackAll();
    },
  };
}

async function shift(data: EngineData, ms: number, now: number): Promise<void> {
  const latest = await data.sessions.latestOpenStart();
  if (latest === null) return;
  // What started later than now tells that the clock was set back by as much, at least, while nobody looked. A session that is
  // to start in a moment tells nothing.
  const by = ms !== 0 || now - latest > -LEAST_STEP_MS ? ms : now - latest;
  if (by === 0) return;
  await data.runs.shift(by);
  await data.sessions.shiftDeadlines(by);
}

async function comeBack(data: EngineData, now: number): Promise<number> {
  // A tick may have been claimed a moment before its instant: the one after it is that much further than a period away.
  const checks = await data.schedule.tooFarAhead(now + LEAST_STEP_MS, AT_ONCE);
  for (const check of checks) {
    const schedule = scheduleOf(check);
    // The last one may not have run while the clock was ahead: it is less than a period late.
    const next = lastRunAt(schedule, now);
    if (!(await data.schedule.advance(check.id, check.nextRunAt, next))) continue;
    await data.schedule.deleteMissed(check.id, next, periodOf(schedule));
  }
  return checks.length;
}
