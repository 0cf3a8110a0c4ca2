/** Handles steps of the machine's clock: shifts open work, and resets ticks that are too far ahead. */
import type { Clock } from '../../../base/clock.ts';
import { lastRunAt, periodOf } from '../../../calendar/grid.ts';
import type { EngineData, EngineStore } from '../../store/engine/index.ts';
import { scheduleOf } from './tick-plan.ts';

/** A smaller drift, in ms, is normal clock slewing and not a step. */
const MIN_STEP_MS = 1000;
const BATCH_SIZE = 100;

/** Returns a function that returns by how many ms the wall clock was set since its last call, or 0. */
export function detectClockSteps(clock: Clock): () => number {
  let before = clock.now() - clock.monotonic();
  return () => {
    const offset = clock.now() - clock.monotonic();
    const step = offset - before;
    before = offset;
    return Math.abs(step) < MIN_STEP_MS ? 0 : step;
  };
}

export type ClockStepHandler = ReturnType<typeof createClockStepHandler>;

/**
 * Shifts waiting and running work with the clock, so that it keeps its remaining time. If services on other machines
 * share the store, open work is not shifted. Ticks that the clock had run ahead of become due at their own time and
 * are no longer missed; a tick that already started a session is never run again.
 */
export function createClockStepHandler(
  store: EngineStore,
  clock: Clock,
  whileAlone: (work: () => Promise<void>) => Promise<unknown>,
) {
  let nextStep = detectClockSteps(clock);
  /** Milliseconds by which open work is still to be shifted. */
  let pendingMs = 0;
  let isBehind = false;
  let catchingUp: Promise<void> | undefined;

  const shiftOpenWork = (ms: number) =>
    whileAlone(() => store.atomically((data) => shiftRunsAndDeadlines(data, ms, clock.now())));
  async function resetAllTicks(): Promise<void> {
    while ((await store.atomically((data) => resetTicks(data, clock.now()))) >= BATCH_SIZE);
  }

  async function catchUp(): Promise<void> {
    while (isBehind) {
      const by = pendingMs;
      if (by !== 0) {
        await shiftOpenWork(by);
        // The clock may have been set again meanwhile.
        pendingMs -= by;
      } else {
        await resetAllTicks();
        isBehind = pendingMs !== 0;
      }
    }
  }

  return {
    /** Checks for a step and handles it. A failed step is retried at the next call. */
    async handle(): Promise<void> {
      const step = nextStep();
      pendingMs += step;
      isBehind ||= step !== 0;
      if (!isBehind) return;
      catchingUp ??= catchUp().finally(() => {
        catchingUp = undefined;
      });
      await catchingUp;
    },
    /** Handles a step during downtime, detected from the stored rows. */
    async recover(): Promise<void> {
      nextStep = detectClockSteps(clock);
      pendingMs = 0;
      isBehind = false;
      await shiftOpenWork(0);
      await resetAllTicks();
    },
  };
}

async function shiftRunsAndDeadlines(data: EngineData, ms: number, now: number): Promise<void> {
  const latest = await data.sessions.latestOpenStart();
  if (latest === null) return;
  // A session that started in the future reveals a clock that was set back during downtime. A session that starts
  // within a second does not.
  const by = ms !== 0 || now - latest > -MIN_STEP_MS ? ms : now - latest;
  if (by === 0) return;
  await data.runs.shift(by);
  await data.sessions.shiftDeadlines(by);
}

async function resetTicks(data: EngineData, now: number): Promise<number> {
  // A tick may be claimed shortly before its time, so the next one may be slightly more than a period away.
  const checks = await data.schedule.tooFarAhead(now + MIN_STEP_MS, BATCH_SIZE);
  for (const check of checks) {
    const schedule = scheduleOf(check);
    // The last tick, less than a period late, may not have run while the clock was ahead.
    const next = lastRunAt(schedule, now);
    if (!(await data.schedule.advance(check.id, check.nextRunAt, next))) continue;
    await data.schedule.deleteMissed(check.id, next, periodOf(schedule));
  }
  return checks.length;
}
