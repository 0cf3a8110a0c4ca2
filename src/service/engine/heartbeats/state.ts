/** Computes when a heartbeat is missed, and the effects of pings, pauses and outages. Pure; all times are in ms. */
import type { Pause } from '../../maintenance/effects.ts';
import {
  type HeartbeatProgress,
  type HeartbeatRecord,
  type HeartbeatSchedule,
  IDLE_JOB,
} from '../../store/heartbeats.ts';

/** The period of a heartbeat and its grace period. */
export interface HeartbeatTimes {
  /** With a cron expression, the shortest time between two of its times. */
  readonly periodMs: number;
  readonly graceMs: number;
  /** Returns the first time of the cron expression after an instant. Without it, the period counts from the last ping. */
  readonly nextTime?: (after: number) => number;
}

/** Returns when the next ping is expected if the last one came at `at`. */
export const expectedAfter = ({ periodMs, nextTime }: HeartbeatTimes, at: number): number =>
  nextTime === undefined ? at + periodMs : nextTime(at);

/** Returns when the next ping is overdue if the last one came at `at`. */
export const dueAfterPing = (times: HeartbeatTimes, at: number): number =>
  expectedAfter(times, at) + times.graceMs;

/** The clock of the job's machine may be ahead: a ping this soon before its time counts for it, in ms. */
const MAX_EARLY_MS = 60_000;
const earlyMs = ({ periodMs, nextTime }: HeartbeatTimes): number =>
  nextTime === undefined ? 0 : Math.min(MAX_EARLY_MS, periodMs / 10);

/** Returns when a heartbeat that has just failed fails again: once per period, as a run would. */
export const dueAfterFailure = (times: HeartbeatTimes, now: number): number =>
  times.nextTime === undefined ? now + times.periodMs : dueAfterPing(times, now);

/** The new state of a heartbeat, and the event to record. */
export interface HeartbeatTransition {
  readonly next: HeartbeatProgress;
  readonly event: 'pinged' | 'failed' | 'unfinished' | 'missed' | undefined;
}

/**
 * Applies a ping. `isInactive`: the ping's time is stored, but the next ping is not expected. `hasDetails`: it is recorded
 * for what it says.
 */
export function applyPing(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  { isInactive, hasDetails }: { readonly isInactive: boolean; readonly hasDetails: boolean },
): HeartbeatTransition {
  const { state, recordedAt } = before;
  // A plain ping is recorded at most about once per period, like a run, however often pings arrive.
  const isRecorded =
    hasDetails || state !== 'UP' || recordedAt === null || now - recordedAt >= times.periodMs / 2;
  const event = isRecorded && !isInactive ? 'pinged' : undefined;
  return {
    next: {
      ...before,
      state: 'UP',
      lastPingAt: now,
      dueAt: isInactive ? null : dueAfterPing(times, now + earlyMs(times)),
      recordedAt: event === undefined ? recordedAt : now,
    },
    event,
  };
}

/** Applies a ping that reports a failure. It fails at once; `hasDetails` false: only if the job has not failed before. */
export function applyFailure(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  options: { readonly isInactive: boolean; readonly hasDetails: boolean },
): HeartbeatTransition {
  const { next } = applyPing(before, times, now, options);
  if (options.isInactive) return { next: { ...next, state: before.state }, event: undefined };
  const isRecorded = before.state !== 'DOWN' || options.hasDetails;
  return {
    next: { ...next, state: 'DOWN', recordedAt: isRecorded ? now : before.recordedAt },
    event: isRecorded ? 'failed' : undefined,
  };
}

/** Returns the pauses between two instants, in order. A pause in progress ends at the second instant. */
export type Pauses = (from: number, to: number) => readonly Pause[];

/** Evaluates a heartbeat at `now`. Deactivation and maintenance windows extend the due time. */
export function checkDue(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  pauses: Pauses,
): HeartbeatTransition {
  const { dueAt, state } = before;
  if (dueAt === null || now <= dueAt) return { next: before, event: undefined };
  const due = dueAfter({ ...before, dueAt }, times, now, pauses);
  if (due >= now) return { next: { ...before, dueAt: due }, event: undefined };
  const next = { ...before, state: 'DOWN', dueAt: dueAfterFailure(times, now), recordedAt: now } as const;
  return { next, event: state === 'WAITING' ? undefined : 'missed' };
}

/** Jobs are not exact: a pause that starts this soon after the expected time may have prevented the ping, in ms. */
const JITTER_MS = 120_000;

/**
 * Returns the due time of an overdue ping with pauses applied. A ping expected within a pause is due as if one had
 * arrived at the end of the pause. Pauses that took at least half of the grace period restart it, so that many short
 * ones cannot postpone it forever.
 */
function dueAfter(
  { dueAt, lastPingAt, state }: HeartbeatProgress & { readonly dueAt: number },
  times: HeartbeatTimes,
  now: number,
  pauses: Pauses,
): number {
  // A heartbeat that is down fails by its period alone.
  const grace = state === 'DOWN' && times.nextTime === undefined ? 0 : times.graceMs;
  const afterPing = (at: number) => expectedAfter(times, at) + grace;
  let due = dueAt;
  if (times.nextTime === undefined) {
    const since = due - times.periodMs - grace;
    const [last] = since === lastPingAt ? [] : pauses(since, now);
    // It was postponed within a pause that has continued.
    if (last?.from === since) due = afterPing(last.to);
  }
  while (due < now) {
    const expected = due - grace;
    const within = pauses(expected, now).filter(({ from }) => from <= due);
    const [first] = within;
    const lasting = within.find(({ to }) => to > due);
    if (first && first.from <= expected + Math.min(grace, JITTER_MS)) due = afterPing(first.to);
    else if (lasting?.to === now) due = afterPing(now);
    else {
      const paused = within.reduce((sum, { from, to }) => sum + Math.min(to, due) - from, 0);
      if (paused * 2 < grace || paused === 0) return due;
      due = (within.at(-1)?.to ?? due) + grace;
    }
  }
  return due;
}

/** Applies an activation or deactivation. An inactive check expects no ping; a reactivated one has its full time. */
export function applyActivation(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  isInactive: boolean,
): HeartbeatProgress {
  if (isInactive) return isIdle(before) ? before : { ...before, dueAt: null, job: IDLE_JOB };
  if (before.state === 'WAITING' || before.dueAt !== null) return before;
  return { ...before, dueAt: dueAfterPing(times, now) };
}

const isIdle = ({ dueAt, job }: HeartbeatProgress): boolean => dueAt === null && job === IDLE_JOB;

/** Returns the deadline of the next ping after the schedule of a heartbeat was written. */
export function dueAfterChange(
  { dueAt, ...before }: HeartbeatRecord,
  after: HeartbeatSchedule,
  times: HeartbeatTimes,
  now: number,
): number | null {
  if (dueAt === null) return null;
  const isCronChanged = before.cron !== after.cron || before.timezone !== after.timezone;
  if (isCronChanged) return dueAfterPing(times, now);
  const periodChange = after.cron === null ? after.periodMs - before.periodMs : 0;
  return dueAt + periodChange + after.graceMs - before.graceMs;
}

/** Time for clients to retry a ping after an outage no longer than this, in ms. */
export const SHORT_OUTAGE_MS = 60_000;

/** An outage of the service, in which it received no pings. `from` null: unknown. */
export interface Outage {
  readonly from: number | null;
  readonly to: number;
}

/**
 * Applies an outage. If a ping may
 * have been due meanwhile, the next one is due as if a ping had arrived at the end of the outage.
 */
export function applyOutage(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  { from, to }: Outage,
): HeartbeatProgress {
  const { dueAt, lastPingAt, state } = before;
  if (dueAt === null || lastPingAt === null) return before;
  const atLeast = (at: number) => (at > dueAt ? { ...before, dueAt: at } : before);
  if (state === 'DOWN') return atLeast(dueAfterFailure(times, to));
  if (from !== null && to - from <= SHORT_OUTAGE_MS) return atLeast(to + SHORT_OUTAGE_MS);
  // No ping was expected in the outage, even if the last one was late or was retried after an earlier outage.
  const mayBeEarly = times.nextTime === undefined ? times.graceMs : 0;
  if (to < expectedAfter(times, lastPingAt) - mayBeEarly - 2 * SHORT_OUTAGE_MS) return before;
  return atLeast(dueAfterPing(times, to));
}

/** Cron does not repeat the times of a clock that is set back by up to this, in ms. */
const LONGEST_REPEATED_MS = 3 * 3_600_000;

/**
 * Converts the times of a heartbeat to a clock that was set by `stepMs`; `now` is the time after the step. A period keeps
 * its remaining time. Times of a cron expression are those of the wall clock: the skipped ones are not expected any more.
 */
export function applyClockStep(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  stepMs: number,
  now: number,
): HeartbeatProgress {
  const move = (at: number | null): number | null => (at === null ? null : at + stepMs);
  const moved = { ...before, lastPingAt: move(before.lastPingAt), recordedAt: move(before.recordedAt) };
  if (before.dueAt === null) return moved;
  if (times.nextTime === undefined) return { ...moved, dueAt: before.dueAt + stepMs };
  if (stepMs < -LONGEST_REPEATED_MS) return { ...moved, dueAt: dueAfterPing(times, now) };
  if (stepMs <= 0) return moved;
  const earliest = stepMs > SHORT_OUTAGE_MS ? dueAfterPing(times, now) : now + SHORT_OUTAGE_MS;
  return { ...moved, dueAt: Math.max(before.dueAt, earliest) };
}
