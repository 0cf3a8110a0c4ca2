/** Counts the work of the engine since the process started. */

import type { Effects } from './change-context.ts';
import type { EngineStatus } from './interface.ts';
import type { PlannedSession } from './plan-session.ts';

export interface Counters {
  addStarted(planned: readonly PlannedSession[]): void;
  addEffects(effects: Effects): void;
  addMissed(ticks: number): void;
  read(): Pick<EngineStatus, 'counters' | 'lateness'>;
}

export function createCounters(): Counters {
  let sessionsStarted = 0;
  let attempts = 0;
  let errors = 0;
  let missedTicks = 0;
  const sessionsEnded: Record<string, number> = {};
  const lateness = { count: 0, sum: 0, max: 0 };
  return {
    addStarted(planned) {
      sessionsStarted += planned.length;
      for (const { session } of planned) {
        if (session.scheduled_at === null) continue;
        const late = Math.max(0, session.started_at - session.scheduled_at);
        lateness.count += 1;
        lateness.sum += late;
        lateness.max = Math.max(lateness.max, late);
      }
    },
    addEffects(effects) {
      attempts += effects.attempts;
      errors += effects.errors;
      for (const { status } of effects.ended) sessionsEnded[status] = (sessionsEnded[status] ?? 0) + 1;
    },
    addMissed(ticks) {
      missedTicks += ticks;
    },
    read: () => ({
      counters: { sessionsStarted, sessionsEnded: { ...sessionsEnded }, attempts, missedTicks, errors },
      lateness: { ...lateness },
    }),
  };
}
