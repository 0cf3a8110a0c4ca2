/** When a heartbeat is missed, and what a ping, a look and a return of the service make of it. Pure: instants and spans are ms. */
import type { Pause } from '../../maintenance/index.ts';
import type { HeartbeatProgress } from '../../store/heartbeats.ts';

/** How often a ping is expected, and how late it may be. */
export interface Times {
  readonly periodMs: number;
  readonly graceMs: number;
}

/** A moment of a heartbeat, and what is recorded of it: that a ping came, that one is missed, or nothing. */
export interface Turn {
  readonly next: HeartbeatProgress;
  readonly found: 'pinged' | 'missed' | undefined;
}

/** A ping came. `rests`: the check is switched off; then it is only kept when it came, and none is waited for. */
export function pinged(before: HeartbeatProgress, times: Times, now: number, rests: boolean): Turn {
  const { periodMs, graceMs } = times;
  const { state, recordedAt } = before;
  // One a period is recorded as a run would be, however often it is pinged.
  const isNews = state !== 'UP' || recordedAt === null || now - recordedAt >= periodMs / 2;
  const found = isNews && !rests ? 'pinged' : undefined;
  return {
    next: {
      ...{ state: 'UP', lastPingAt: now, dueAt: rests ? null : now + periodMs + graceMs },
      recordedAt: found === undefined ? recordedAt : now,
    },
    found,
  };
}

/** When it was paused between two instants, in order; what lasts ends with the second. */
export type Pauses = (from: number, to: number) => readonly Pause[];

/** Somebody looks. What was paused, as its check was switched off or a maintenance window was open, is given time. */
export function lookedAt(before: HeartbeatProgress, times: Times, now: number, pauses: Pauses): Turn {
  const { dueAt, state } = before;
  if (dueAt === null || now <= dueAt) return { next: before, found: undefined };
  const due = dueAfter({ ...before, dueAt }, times, now, pauses);
  if (due >= now) return { next: { ...before, dueAt: due }, found: undefined };
  // While it stays away it fails once a period, as what runs would.
  const next = { ...before, state: 'DOWN', dueAt: now + times.periodMs, recordedAt: now } as const;
  return { next, found: state === 'WAITING' ? undefined : 'missed' };
}

/** No job is on time to the second: a pause that begins so soon after its ping was expected may have kept it, in ms. */
const JITTER_MS = 120_000;

/**
 * When a ping is due that was due before now, where there were pauses. One that was to come in a pause is waited for as if one had
 * come at its end. A pause that took at least half of the grace gives that anew, so that no row of short ones puts it off for ever.
 */
function dueAfter(
  { dueAt, lastPingAt, state }: HeartbeatProgress & { readonly dueAt: number },
  { periodMs, graceMs }: Times,
  now: number,
  pauses: Pauses,
): number {
  // What is away already fails by its period alone.
  const grace = state === 'DOWN' ? 0 : graceMs;
  const span = periodMs + grace;
  let due = dueAt;
  const since = due - span;
  const [last] = since === lastPingAt ? [] : pauses(since, now);
  // It was put off within a pause, which has lasted on.
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

/** The check was switched off or on, or it is seen that it was: what rests is not waited for, and has all its time afterwards. */
export function switched(
  before: HeartbeatProgress,
  times: Times,
  now: number,
  rests: boolean,
): HeartbeatProgress {
  if (rests) return before.dueAt === null ? before : { ...before, dueAt: null };
  if (before.state === 'WAITING' || before.dueAt !== null) return before;
  return { ...before, dueAt: now + times.periodMs + times.graceMs };
}

/** Who was away no longer than this misses no ping that is tried again: then it must come this long after the return, in ms. */
export const SHORTLY_MS = 60_000;

/**
 * The service was away from an instant (null: nobody knows) to now, and heard no ping. What it may have missed is not held
 * against anybody: where a ping may have been due meanwhile, the next is waited for as if one had come at the return.
 */
export function returnedTo(
  before: HeartbeatProgress,
  times: Times,
  { from, to }: { readonly from: number | null; readonly to: number },
): HeartbeatProgress {
  const { periodMs, graceMs } = times;
  const { dueAt, lastPingAt, state } = before;
  if (dueAt === null || lastPingAt === null) return before;
  const noSooner = (at: number) => (at > dueAt ? { ...before, dueAt: at } : before);
  if (state === 'DOWN') return noSooner(to + periodMs);
  if (from !== null && to - from <= SHORTLY_MS) return noSooner(to + SHORTLY_MS);
  // None was to come before its period was over, but for as much as the last may have been late, or tried again after an absence.
  if (to < lastPingAt + periodMs - graceMs - 2 * SHORTLY_MS) return before;
  return noSooner(to + periodMs + graceMs);
}
