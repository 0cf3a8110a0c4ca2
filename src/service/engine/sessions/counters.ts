/** What the engine counts of its work since the process started. */
import type { EngineStatus } from './interface.ts';
import type { PlannedSession } from './plan.ts';
import type { Effects } from './recorder.ts';

export interface Counters {
  started(planned: readonly PlannedSession[]): void;
  recorded(effects: Effects): void;
  missed(ticks: number): void;
  read(): Pick<EngineStatus, 'counters' | 'lateness'>;
}

export function counters(): Counters {
  let sessionsStarted = 0;
  let attempts = 0;
  let errors = 0;
  let missedTicks = 0;
  const sessionsEnded: Record<string, number> = {};
  const lateness = { count: 0, sum: 0, max: 0 };
  return {
    started(planned) {
      sessionsStarted += planned.length;
      for (const { session } of planned) {
        if (session.scheduled_at === null) continue;
        const late = Math.max(0, session.started_at - session.scheduled_at);
        lateness.count += 1;
        lateness.sum += late;
        lateness.max = Math.max(lateness.max, late);
      }
    },
    recorded(effects) {
      attempts += effects.attempts;
      errors += effects.errors;
      for (const { status } of effects.ended) sessionsEnded[status] = (sessionsEnded[status] ?? 0) + 1;
    },
    missed(ticks) {
      missedTicks += ticks;
    },
    read: () => ({
      counters: { sessionsStarted, sessionsEnded: { ...sessionsEnded }, attempts, missedTicks, errors },
      lateness: { ...lateness },
    }),
  };
}
