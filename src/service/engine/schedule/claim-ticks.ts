/** Claims due ticks, and decides when: at their time, or shortly before it if the worker has capacity. */

import type { Clock } from '../../../base/clock.ts';
import { isPaused } from '../../maintenance/effects.ts';
import { loadWindows, type Windows } from '../../maintenance/windows.ts';
import type { EngineData } from '../../store/engine/index.ts';
import type { MissedTicks, Upcoming } from '../../store/engine/schedule.ts';
import { tickKey } from '../../store/engine/sessions.ts';
import type { CheckRecord } from '../../store/index.ts';
import type { Reservation } from '../sessions/local-port.ts';
import type { PlannedSession } from '../sessions/plan-session.ts';
import { type Subject, subjectsOf } from '../sessions/settings.ts';
import { type DirectLease, type PlanContext, startSessions } from '../sessions/start-sessions.ts';
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

/**
 * Maximum number of ticks in one transaction. When thousands are due after a restart, commits dominate the cost, and the
 * workers, which then have work, use the database between two transactions.
 */
export const MAX_TICKS = 1024;

/**
 * Claims at most `limit` ticks up to `until`, and plans their sessions. A future tick starts on time, and pauses are
 * evaluated for then.
 */
export async function claimTicks(
  data: EngineData,
  context: PlanContext,
  { until = context.now, limit = MAX_TICKS }: { readonly until?: number; readonly limit?: number } = {},
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

/**
 * A tick is claimed `minMs` before it is due, together with all that are due within `maxMs`. One transaction serves
 * them all, and each still starts on time.
 */
export interface ClaimAhead {
  readonly minMs: number;
  readonly maxMs: number;
}

/**
 * A service that follows another claims only ticks that are late by this, in ms. Otherwise both would claim a part of
 * every batch. It also bounds the delay of checks after the leading service has stopped.
 */
const FOLLOWER_DELAY_MS = 250;

interface TickClaimerOptions {
  readonly clock: Clock;
  readonly claimAhead: ClaimAhead;
  /** Reserves the built-in worker if it is idle and has capacity. */
  readonly reserve: (now: number) => Reservation | undefined;
  /** Whether other services may claim the same ticks. */
  readonly isShared: boolean;
  /** Runs a claim in a transaction. */
  readonly plan: (
    claim: (data: EngineData, context: PlanContext) => Promise<ClaimedTicks>,
    directLease: DirectLease | undefined,
  ) => Promise<ClaimedTicks>;
}

export type TickClaimer = ReturnType<typeof createTickClaimer>;

export function createTickClaimer({ clock, claimAhead, reserve, plan, isShared }: TickClaimerOptions) {
  /** False if the worker had no capacity at the last claim. */
  let hadCapacity = true;
  /**
   * True if another service claimed this one's last tick. This service then follows: it looks only after a tick is
   * late, because services that all claim ahead would each pay for every tick.
   */
  let isOvertaken = false;
  const leadMs = () => (isOvertaken ? -FOLLOWER_DELAY_MS : hadCapacity ? claimAhead.minMs : 0);
  return {
    /**
     * Claims due ticks, and upcoming ones if no older attempt is waiting. The worker then leases their attempts
     * directly. Returns undefined if nothing can be claimed yet.
     */
    async claim({ tick, due }: Upcoming): Promise<ClaimedTicks | undefined> {
      const now = clock.now();
      if (tick === null || tick - (isOvertaken ? -FOLLOWER_DELAY_MS : claimAhead.minMs) > now)
        return undefined;
      const reservation = due === null ? reserve(now) : undefined;
      hadCapacity = reservation !== undefined;
      if (!hadCapacity && tick > now) return undefined;
      // Due ticks are claimed in full batches, with upcoming ones. Upcoming ticks alone are limited to the capacity.
      const limit = tick <= now ? MAX_TICKS : Math.min(reservation?.capacity ?? 0, MAX_TICKS);
      const selection = reservation === undefined ? {} : { until: now + claimAhead.maxMs, limit };
      let isCommitted = false;
      try {
        const ticks = await plan((data, context) => claimTicks(data, context, selection), reservation);
        isCommitted = true;
        isOvertaken = isShared && (ticks.first === null || ticks.first > tick);
        return ticks;
      } finally {
        reservation?.end(isCommitted);
      }
    },
    /** Returns whether another service claimed this one's last tick, so that its last reading is stale. */
    isOvertaken: () => isOvertaken,
    /** Returns when a tick is to be claimed, in ms since the epoch. */
    claimTime: (tick: number) => tick - leadMs(),
  };
}
