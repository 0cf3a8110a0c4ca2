/** Computes when a heartbeat is missed, and the effects of pings, pauses and outages. Pure; all times are in ms. */
import type { Pause } from '../../maintenance/effects.ts';
import type { HeartbeatProgress } from '../../store/heartbeats.ts';

/** The period of a heartbeat and its grace period. */
export interface HeartbeatTimes {
  readonly periodMs: number;
  readonly graceMs: number;
}

/** The new state of a heartbeat, and the event to record. */
export interface HeartbeatTransition {
  readonly next: HeartbeatProgress;
  readonly event: 'pinged' | 'missed' | undefined;
}

/** Applies a ping. `isInactive`: the ping's time is stored, but the next ping is not expected. */
export function applyPing(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  isInactive: boolean,
): HeartbeatTransition {
  const { periodMs, graceMs } = times;
  const { state, recordedAt } = before;
  // Recorded at most about once per period, like a run, however often pings arrive.
  const isRecorded = state !== 'UP' || recordedAt === null || now - recordedAt >= periodMs / 2;
  const event = isRecorded && !isInactive ? 'pinged' : undefined;
  return {
    next: {
      state: 'UP',
      lastPingAt: now,
      dueAt: isInactive ? null : now + periodMs + graceMs,
      recordedAt: event === undefined ? recordedAt : now,
    },
    event,
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
  // A missing heartbeat fails once per period, as a run would.
  const next = { ...before, state: 'DOWN', dueAt: now + times.periodMs, recordedAt: now } as const;
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
  { periodMs, graceMs }: HeartbeatTimes,
  now: number,
  pauses: Pauses,
): number {
  // A heartbeat that is down fails by its period alone.
  const grace = state === 'DOWN' ? 0 : graceMs;
  const span = periodMs + grace;
  let due = dueAt;
  const since = due - span;
  const [last] = since === lastPingAt ? [] : pauses(since, now);
  // It was postponed within a pause that has continued.
  if (last?.from === since) due = last.to + span;
  while (due < now) {
    const expected = due - grace;
    const within = pauses(expected, now).filter(({ from }) => from <= due);
    const [first] = within;
    const lasting = within.find(({ to }) => to > due);
    if (first && first.from <= expected + Math.min(grace, JITTER_MS)) due = first.to + span;
    else if (lasting?.to === now) due = now + span;
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
  if (isInactive) return before.dueAt === null ? before : { ...before, dueAt: null };
  if (before.state === 'WAITING' || before.dueAt !== null) return before;
  return { ...before, dueAt: now + times.periodMs + times.graceMs };
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
  const { periodMs, graceMs } = times;
  const { dueAt, lastPingAt, state } = before;
  if (dueAt === null || lastPingAt === null) return before;
  const atLeast = (at: number) => (at > dueAt ? { ...before, dueAt: at } : before);
  if (state === 'DOWN') return atLeast(to + periodMs);
  if (from !== null && to - from <= SHORT_OUTAGE_MS) return atLeast(to + SHORT_OUTAGE_MS);
  // No ping was expected in the outage, even if the last one was late or was retried after an earlier outage.
  if (to < lastPingAt + periodMs - graceMs - 2 * SHORT_OUTAGE_MS) return before;
  return atLeast(to + periodMs + graceMs);
}
