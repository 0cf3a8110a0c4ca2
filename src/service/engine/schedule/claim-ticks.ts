/** Claims due ticks and starts their sessions, in one transaction per batch. */
import { isPaused, loadWindows, type Windows } from '../../maintenance/index.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { MissedTicks } from '../../store/engine/schedule.ts';
import { tickKey } from '../../store/engine/sessions.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { PlannedSession } from '../sessions/plan-session.ts';
import { type PlanContext, startSessions } from '../sessions/start-sessions.ts';
import { type Subject, subjectsOf } from '../sessions/subjects.ts';
import { type MissedRange, planTick, scheduleOf } from './tick-plan.ts';

export interface ClaimedTicks {
  readonly planned: readonly PlannedSession<string>[];
  /** The first claimable tick, or null. */
  readonly first: number | null;
  /** Number of ticks recorded as missed. */
  readonly missed: number;
  /** True if more ticks may be due. */
  readonly isFull: boolean;
}

/** Maximum number of ticks in one transaction. When thousands are due after a restart, commits dominate the cost. */
export const MAX_TICKS = 256;

/** Limits which ticks are claimed. */
export interface TickSelection {
  /** Claims ticks up to this time, in ms since the epoch. Default: now. */
  readonly until?: number;
  /** Maximum number. Default: 256. */
  readonly limit?: number;
}

/**
 * Claims a batch of ticks and plans their sessions. A future tick starts on time, and pauses are evaluated for then.
 */
export async function claimTicks(
  data: EngineData,
  context: PlanContext,
  { until = context.now, limit = MAX_TICKS }: TickSelection = {},
): Promise<ClaimedTicks> {
  const { now } = context;
  const due = await data.schedule.due(until, limit);
  const ticks = (await subjectsOf(data, due)).flatMap((subject) => {
    const { nextRunAt } = subject.check;
    if (nextRunAt === null) return [];
    const startsAt = Math.max(now, nextRunAt);
    return [
      { subject, startsAt, from: nextRunAt, ...planTick(scheduleOf(subject.check), nextRunAt, startsAt) },
    ];
  });
  const advanced = await data.schedule.advanceAll(
    ticks.map(({ subject, from, next }) => ({ id: subject.check.id, from, to: next })),
  );
  // A clock that was set back must not run a tick twice.
  const existing = await data.sessions.ticksWithSession(
    ticks.map(({ subject, tick }) => ({ checkId: subject.check.id, tick })),
  );
  const windows = new Map<string, Windows>();
  const starting: { subject: Subject; tick: number; startsAt: number }[] = [];
  const missed: MissedTicks[] = [];
  for (const { subject, tick, startsAt, missed: missedRange } of ticks) {
    const { check, settings, group } = subject;
    if (!advanced.has(check.id) || !settings.activated) continue;
    if (missedRange !== undefined) missed.push(...(await missedRanges(data, check, missedRange)));
    if (existing.has(tickKey(check.id, tick))) continue;
    const known = windows.get(check.accountId) ?? (await loadWindows(data, check.accountId));
    windows.set(check.accountId, known);
    if (isPaused(known, { check, group }, startsAt)) continue;
    starting.push({ subject, tick, startsAt });
  }
  await data.schedule.recordMissed(missed);
  const planned = await startSessions(
    data,
    context,
    starting.map(({ subject }) => subject),
    (index) => {
      const { tick = now, startsAt = now } = starting[index] ?? {};
      return { runSource: 'SCHEDULER', scheduledAt: tick, now: startsAt };
    },
  );
  const count = missed.reduce((sum, { ticks }) => sum + ticks, 0);
  const first = due[0]?.nextRunAt ?? null;
  return { planned, first, missed: count, isFull: due.length === limit };
}

/** Returns the missed ticks of a range, without those that had a session before the clock was set back. */
async function missedRanges(
  data: EngineData,
  check: CheckRecord,
  range: MissedRange,
): Promise<MissedTicks[]> {
  const { first, last, ticks } = range;
  const period = ticks === 1 ? 1 : (last - first) / (ticks - 1);
  const ran = await data.sessions.ticksBetween(check.id, first, last);
  const ranges: { first: number; last: number }[] = [];
  let from = first;
  for (const tick of [...ran.filter((at) => (at - first) % period === 0), last + period]) {
    if (tick > from) ranges.push({ first: from, last: tick - period });
    from = tick + period;
  }
  return ranges.map((range) => ({
    accountId: check.accountId,
    checkId: check.id,
    ...range,
    ticks: (range.last - range.first) / period + 1,
  }));
}
