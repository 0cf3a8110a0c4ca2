/** Sets the next tick of checks after a change, and of checks that have none. */

import type { Clock } from '../../../base/clock.ts';
import { nextRunAt } from '../../../calendar/grid.ts';
import { isRunnable } from '../../../contract/check-type-facts.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { nextTickOf, scheduleOf } from './tick-plan.ts';

/**
 * Sets the next tick of a check from its current schedule, and returns it in ms since the epoch (null: no tick).
 * `isPinged`: the check is a heartbeat, which waits for pings instead of running.
 */
export async function setNextRun(
  store: EngineStore,
  clock: Clock,
  checkId: string,
): Promise<{ readonly isPinged: boolean; readonly next: number | null }> {
  for (;;) {
    const check = await store.schedule.check(checkId);
    if (check === undefined) return { isPinged: false, next: null };
    const isTicking = check.activated && isRunnable(check);
    const next = isTicking ? nextTickOf(scheduleOf(check), check.nextRunAt, clock.now()) : null;
    const isSet = next === check.nextRunAt || (await store.schedule.advance(checkId, check.nextRunAt, next));
    if (isSet) return { isPinged: !isRunnable(check), next };
  }
}

/** Sets the first tick of at most `limit` checks that have none, because a process ended early; returns how many. */
export function setFirstRuns(store: EngineStore, clock: Clock, limit: number): Promise<number> {
  return store.atomically(async (data) => {
    const checks = await data.schedule.unscheduled(limit);
    const now = clock.now();
    await data.schedule.setFirstTicks(
      checks.map((check) => ({ id: check.id, to: nextRunAt(scheduleOf(check), now) })),
    );
    return checks.length;
  });
}
