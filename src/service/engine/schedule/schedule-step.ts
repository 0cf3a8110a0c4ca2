/** Runs one step of the schedule: expires overdue work, then claims due ticks. */
import type { Clock } from '../../../base/clock.ts';
import type { WakeSignal } from '../../../base/wake-signal.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { Upcoming } from '../../store/engine/schedule.ts';
import { EXPIRY_BATCH_SIZE } from '../sessions/expiry.ts';
import { PUBLIC_POOL } from '../sessions/settings.ts';
import type { ClaimedTicks, TickClaimer } from './claim-ticks.ts';
import type { ClockStepHandler } from './clock-step-handler.ts';

export interface ScheduleStepOptions {
  readonly store: EngineStore;
  readonly clock: Clock;
  readonly clockSteps: ClockStepHandler;
  readonly claimer: TickClaimer;
  /** Wakes the worker when an attempt can be claimed. */
  readonly workSignal: WakeSignal;
  /** Returns how many runs it expired. */
  readonly expireOverdue: () => Promise<number>;
  readonly onClaimed: (ticks: ClaimedTicks) => void;
}

export function createScheduleStep(options: ScheduleStepOptions) {
  const { store, clock, clockSteps, claimer } = options;
  const readUpcoming = () => store.schedule.upcoming(PUBLIC_POOL, clock.now());
  /** Read before the last sleep; undefined after a change. */
  let upcoming: Upcoming | undefined;

  return {
    /** Returns true if more work may be due. */
    async step(): Promise<boolean> {
      await clockSteps.handle();
      const now = clock.now();
      const isDue = (instant: number | null) => instant !== null && instant <= now;
      // The earlier reading is still valid if the sleep ended for its tick.
      const tick = upcoming?.due === null ? upcoming.tick : null;
      const isKnown = tick !== null && isDue(claimer.claimTime(tick)) && !claimer.isOvertaken();
      upcoming = isKnown && upcoming !== undefined ? advance(upcoming, now) : await readUpcoming();
      const { due, dropped, lapsed, deadline } = upcoming;
      // A retry may have reached the end of its backoff.
      if (due !== null) options.workSignal.wake();
      const isOverdue = isDue(earliest(dropped, lapsed, deadline));
      const expired = isOverdue ? await options.expireOverdue() : 0;
      const ticks = await claimer.claim(upcoming);
      if (ticks !== undefined) options.onClaimed(ticks);
      if (isOverdue || ticks) upcoming = undefined;
      return ticks?.isFull === true || expired >= EXPIRY_BATCH_SIZE;
    },
    /** Returns when the next step is due, in ms since the epoch; null if no work is planned. */
    async nextInstant(): Promise<number | null> {
      upcoming ??= await readUpcoming();
      const { tick, later, dropped, lapsed, deadline } = upcoming;
      return earliest(tick === null ? null : claimer.claimTime(tick), later, dropped, lapsed, deadline);
    },
  };
}

/** Returns an earlier reading with the attempts that have become claimable since. */
const advance = (upcoming: Upcoming, now: number): Upcoming =>
  upcoming.due === null && upcoming.later !== null && upcoming.later <= now
    ? { ...upcoming, due: upcoming.later }
    : upcoming;
