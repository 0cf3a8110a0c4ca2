/** Detects that the engine makes no progress, and counts its work for /health and /metrics. */
import type { Clock } from '../../../base/clock.ts';
import type { PlannedSession } from '../sessions/plan-session.ts';
import type { Effects } from '../sessions/transitions.ts';

/** Work that takes longer, in ms, counts as stuck. */
const LATE_MS = 5000;

export function createWatchdog(clock: Clock) {
  // In ms since the epoch; null: none since the start.
  let lastTickClaimedAt: number | null = null;
  let lastResultStoredAt: number | null = null;
  let hasStepFailed = false;
  const [steps, results] = [new Set<{ readonly at: number }>(), new Set<{ readonly at: number }>()];

  async function track<T>(pending: Set<{ readonly at: number }>, work: () => Promise<T>): Promise<T> {
    const entry = { at: clock.monotonic() };
    pending.add(entry);
    try {
      return await work();
    } finally {
      pending.delete(entry);
    }
  }
  /** A Set keeps insertion order, so its first entry is the oldest. */
  const isLate = ([oldest]: Set<{ readonly at: number }>) =>
    oldest !== undefined && clock.monotonic() - oldest.at > LATE_MS;

  /** Returns why checks do not run or results are not stored, as a public sentence. */
  function problem(): string | undefined {
    if (isLate(results)) return 'results are waiting to be stored';
    return hasStepFailed || isLate(steps) ? 'checks that are due cannot be started' : undefined;
  }

  return {
    /** Tracks a step of the schedule. */
    async trackStep<T>(work: () => Promise<T>): Promise<T> {
      try {
        const done = await track(steps, work);
        hasStepFailed = false;
        return done;
      } catch (error) {
        hasStepFailed = true;
        throw error;
      }
    },
    /** Tracks the storing of a result. */
    async trackStore<T>(work: () => Promise<T>): Promise<T> {
      const done = await track(results, work);
      lastResultStoredAt = clock.now();
      return done;
    },
    recordClaim(): void {
      lastTickClaimedAt = clock.now();
    },
    progress: () => ({ problem: problem(), lastTickClaimedAt, lastResultStoredAt }),
  };
}

/** Numbers of ended sessions by status; a missing status has none. */
export type SessionCounts = Readonly<Record<string, number>>;

const NO_SESSIONS: SessionCounts = {};

/** Counts from the start of this process. */
export function createCounters() {
  let sessionsStarted = 0;
  let attempts = 0;
  /** Attempts with a monitor error (hasErrors). */
  let errors = 0;
  let missedTicks = 0;
  const sessionsEnded: Record<string, number> = {};
  /** Ended sessions outside test sessions, by check. */
  const sessionsOfChecks = new Map<string, Record<string, number>>();
  /** Delay of scheduled sessions from their tick, in ms. */
  const lateness = { count: 0, sum: 0, max: 0 };
  return {
    addStarted(planned: readonly PlannedSession[]): void {
      sessionsStarted += planned.length;
      for (const { session } of planned) {
        if (session.scheduled_at === null) continue;
        const late = Math.max(0, session.started_at - session.scheduled_at);
        lateness.count += 1;
        lateness.sum += late;
        lateness.max = Math.max(lateness.max, late);
      }
    },
    addEffects(effects: Effects): void {
      attempts += effects.attempts;
      errors += effects.errors;
      for (const { status, checkId } of effects.ended) {
        sessionsEnded[status] = (sessionsEnded[status] ?? 0) + 1;
        if (checkId === null) continue;
        const counts = sessionsOfChecks.get(checkId) ?? {};
        counts[status] = (counts[status] ?? 0) + 1;
        sessionsOfChecks.set(checkId, counts);
      }
    },
    addMissed(ticks: number): void {
      missedTicks += ticks;
    },
    removeCheck(checkId: string): void {
      sessionsOfChecks.delete(checkId);
    },
    /** Returns the ended sessions of a check by status, without those of test sessions. */
    sessionsOf: (checkId: string): SessionCounts => sessionsOfChecks.get(checkId) ?? NO_SESSIONS,
    read: () => ({
      counters: { sessionsStarted, sessionsEnded: { ...sessionsEnded }, attempts, missedTicks, errors },
      lateness: { ...lateness },
    }),
  };
}
