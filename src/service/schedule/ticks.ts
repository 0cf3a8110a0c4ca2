/** Claims ticks that are due: the session, what was missed and the next tick, in one transaction a batch. */

import { isPaused, type Windows, windowsOf } from '../maintenance/index.ts';
import type { PlannedSession } from '../sessions/plan.ts';
import { begin, type Subject, type Surroundings, subjectsOf } from '../sessions/starting.ts';
import type { EngineData } from '../store/engine/index.ts';
import { dueOf, scheduleOf } from './due.ts';

export interface Ticks {
  readonly planned: readonly PlannedSession[];
  /** Ticks that were recorded as missed. */
  readonly missed: number;
  /** True where there may be more that are due. */
  readonly isFull: boolean;
}

const AT_ONCE = 100;

/** Claims at most a batch of due ticks and starts their sessions. */
export async function claimTicks(data: EngineData, surroundings: Surroundings): Promise<Ticks> {
  const { now } = surroundings;
  const due = await data.schedule.due(now, AT_ONCE);
  const windows = new Map<string, Windows>();
  const starting: { subject: Subject; tick: number }[] = [];
  let missed = 0;
  for (const subject of await subjectsOf(data, due)) {
    const { check, settings, group } = subject;
    if (check.nextRunAt === null) continue;
    const { tick, next, missed: gap } = dueOf(scheduleOf(check), check.nextRunAt, now);
    if (!(await data.schedule.advance(check.id, check.nextRunAt, next))) continue;
    // A clock that was set back must not run a tick twice.
    if (!settings.activated || (await data.sessions.hasTick(check.id, tick))) continue;
    if (gap !== undefined) {
      await data.schedule.recordMissed({ accountId: check.accountId, checkId: check.id, ...gap });
      missed += gap.ticks;
    }
    const known = windows.get(check.accountId) ?? (await windowsOf(data, check.accountId));
    windows.set(check.accountId, known);
    if (isPaused(known, { check, group }, now)) continue;
    starting.push({ subject, tick });
  }
  const planned = await begin(
    data,
    surroundings,
    starting.map(({ subject }) => subject),
    (place) => ({ runSource: 'SCHEDULER', scheduledAt: starting[place]?.tick ?? now }),
  );
  return { planned, missed, isFull: due.length === AT_ONCE };
}
