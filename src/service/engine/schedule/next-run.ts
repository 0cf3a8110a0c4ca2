/** Gives checks their next tick: after a change of theirs, and where a process ended between a change and its consequences. */
import type { Clock } from '../../../base/clock.ts';
import { nextRunAt } from '../../../calendar/grid.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { isRun } from '../sessions/settings.ts';
import { rescheduled, scheduleOf } from './tick-plan.ts';

export interface Arming {
  /**
   * Sets the next tick of a check from its schedule as it is now: ms since the epoch, null where it has none. `isPinged`: it is
   * not run, but waits for pings.
   */
  changed(checkId: string): Promise<{ readonly isPinged: boolean; readonly next: number | null }>;
  /** Gives so many checks that have no tick their first one; answers how many there were. */
  unscheduled(most: number): Promise<number>;
}

export function arming(store: EngineStore, clock: Clock): Arming {
  return {
    async changed(checkId) {
      for (;;) {
        const check = await store.schedule.check(checkId);
        if (check === undefined) return { isPinged: false, next: null };
        const isTicking = check.activated && isRun(check);
        const next = isTicking ? rescheduled(scheduleOf(check), check.nextRunAt, clock.now()) : null;
        const isSet =
          next === check.nextRunAt || (await store.schedule.advance(checkId, check.nextRunAt, next));
        if (isSet) return { isPinged: !isRun(check), next };
      }
    },
    unscheduled: (most) =>
      store.atomically(async (data) => {
        const checks = await data.schedule.unscheduled(most);
        const now = clock.now();
        await data.schedule.setFirstTicks(
          checks.map((check) => ({ id: check.id, to: nextRunAt(scheduleOf(check), now) })),
        );
        return checks.length;
      }),
  };
}
