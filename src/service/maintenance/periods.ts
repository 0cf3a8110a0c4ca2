/** Computes when a maintenance window is open, by schedule or by hand, and its due events. Pure. */
import {
  type Occurrence,
  occurrences,
  occurrencesAround,
  type WindowTimes,
} from '../../calendar/occurrences.ts';
import type { MaintenanceState, MaintenanceWindowBody, MaintenanceWindowWithState } from '../store/index.ts';

/** The fields of a window that decide when it is open. */
export interface TimedWindow {
  readonly body: MaintenanceWindowBody;
  readonly state: Pick<MaintenanceState, 'startedAt' | 'endedThrough' | 'exceptions'>;
}

/** Returns the times of a window, with the repetitions that were moved or cancelled. */
export const timesOf = ({ body, state: { exceptions } }: TimedWindow): WindowTimes => ({
  ...body,
  exceptions,
});

/** Period in which a window is open, in ms since the epoch. */
export interface Period {
  /** Scheduled or manual start. */
  readonly startsAt: number;
  /** Scheduled end. If `autoEnd` is false the window stays open longer, but checks run again from here on. */
  readonly endsAt: number;
}

/** How early a window can be started manually. */
const MAX_EARLY_START_MS = 24 * 60 * 60 * 1000;

/** Fields of `statusPageVisibility` count only where it is enabled (docs/gaps.md). */
function visibility({ body }: TimedWindow) {
  const shown = body.statusPageVisibility;
  return shown?.enabled === true ? shown : undefined;
}
const startsAutomatically = (window: TimedWindow) => visibility(window)?.autoStart !== false;
const endsAutomatically = (window: TimedWindow) => visibility(window)?.autoEnd !== false;

/** Returns the occurrence that a manual start at an instant applies to: the current one, or the next within a day. */
export function findStartable(window: TimedWindow, instant: number): Occurrence | undefined {
  const { last, next } = occurrencesAround(timesOf(window), instant);
  if (last && instant < last.endsAt) return last;
  return next && next.startsAt <= instant + MAX_EARLY_START_MS ? next : undefined;
}

/** Returns the period in which a window is open at an instant, as status pages show it; undefined if it is closed. */
export function periodAt(window: TimedWindow, instant: number): Period | undefined {
  const { startedAt, endedThrough } = window.state;
  const isLasting = ({ endsAt }: Period) => instant < endsAt || !endsAutomatically(window);
  const { last } = occurrencesAround(timesOf(window), instant);
  const isOver = !last || (endedThrough !== null && last.startsAt <= endedThrough) || !isLasting(last);
  const planned = isOver || !startsAutomatically(window) ? undefined : last;
  if (startedAt === null || startedAt > instant) return planned;
  const startable = findStartable(window, startedAt);
  if (!startable || !isLasting(startable) || (planned && planned.startsAt > startable.startsAt))
    return planned;
  return {
    startsAt: planned ? Math.min(startedAt, planned.startsAt) : startedAt,
    endsAt: startable.endsAt,
  };
}

/** Returns the current or last period up to an instant, as far as it affects checks. */
export function periodUpTo(window: TimedWindow, instant: number): Period | undefined {
  const { last } = occurrencesAround(timesOf(window), instant);
  const period =
    periodAt(window, instant) ??
    (last && last.endsAt <= instant ? periodAt(window, last.endsAt - 1) : undefined);
  return period && { startsAt: period.startsAt, endsAt: Math.min(period.endsAt, instant) };
}

/** Returns the current or next scheduled period; undefined if the window never opens again. */
export function nextPeriod(window: TimedWindow, instant: number): Period | undefined {
  const { endedThrough } = window.state;
  const { last, next } = occurrencesAround(timesOf(window), instant);
  const waits = last && instant < last.endsAt && !(endedThrough !== null && last.startsAt <= endedThrough);
  if (waits) return last;
  if (next && endedThrough !== null && next.startsAt <= endedThrough) {
    return occurrencesAround(timesOf(window), next.startsAt).next;
  }
  return next;
}

/** Returns the next instant at which the result of `periodAt` may change with time; infinity: never. */
export function nextChangeAfter(window: TimedWindow, instant: number): number {
  const { startedAt } = window.state;
  const { last, next } = occurrencesAround(timesOf(window), instant);
  const startable = startedAt === null ? undefined : findStartable(window, startedAt);
  const instants = [last?.endsAt, next?.startsAt, startable?.endsAt, startedAt ?? undefined];
  return Math.min(...instants.map((each) => (each !== undefined && each > instant ? each : Infinity)));
}

export type MaintenanceEventKind = 'STARTED' | 'ENDED' | 'REMINDER';

/** An event that subscribers are notified of. */
export interface MaintenanceEvent {
  readonly kind: MaintenanceEventKind;
  /** The period in question; for an ended window, the time it was open. */
  readonly period: Period;
}

const MINUTE = 60_000;

/** Due events and the state to store so that each is notified once. */
export interface Advance {
  readonly events: readonly MaintenanceEvent[];
  readonly state: MaintenanceState;
}

/**
 * Compares a window at an instant (ms since the epoch) with its stored state. Returns undefined if nothing happened.
 * Missed events are still reported while they are true: a start while the window is open, a reminder before its start.
 */
export function advanceWindow(window: MaintenanceWindowWithState, instant: number): Advance | undefined {
  const { body, state } = window;
  const shown = body.statusPageVisibility?.enabled === true ? body.statusPageVisibility : undefined;
  const period = periodAt(window, instant);
  const events: MaintenanceEvent[] = [];
  let { openSince, remindedUntil } = state;
  if (period && openSince === null) {
    openSince = instant;
    if (shown?.notifyOnStart) events.push({ kind: 'STARTED', period });
  } else if (!period && openSince !== null) {
    if (shown?.notifyOnEnd) events.push({ kind: 'ENDED', period: { startsAt: openSince, endsAt: instant } });
    openSince = null;
  }
  const due = findUpcomingStarts(window, instant).filter(({ startsAt }) =>
    findReminderTimes(window, startsAt).some((at) => at > remindedUntil && at <= instant),
  );
  if (due.length > 0) remindedUntil = instant;
  events.push(...due.map((remindedPeriod) => ({ kind: 'REMINDER' as const, period: remindedPeriod })));
  if (openSince === state.openSince && remindedUntil === state.remindedUntil) return undefined;
  return { events, state: { ...state, openSince, remindedUntil } };
}

/** Returns the next instant at which `advanceWindow` may return events; infinity: never. */
export function nextEventAfter(window: MaintenanceWindowWithState, instant: number): number {
  const reminders = findUpcomingStarts(window, instant, true).flatMap(({ startsAt }) =>
    findReminderTimes(window, startsAt).filter((at) => at > Math.max(instant, window.state.remindedUntil)),
  );
  return Math.min(nextChangeAfter(window, instant), ...reminders);
}

/** Returns the instants of reminders before a start, without duplicates. */
function findReminderTimes({ body }: MaintenanceWindowWithState, startsAt: number): number[] {
  const shown = body.statusPageVisibility;
  if (shown?.enabled !== true) return [];
  return [...new Set(shown.reminderMinutesBefore ?? [])].map((minutes) => startsAt - minutes * MINUTE);
}

/**
 * Returns the upcoming starts with a reminder that may be due; `includeNext` adds the first start without one. Skips
 * starts at which the window is already open or was ended in advance.
 */
function findUpcomingStarts(
  window: MaintenanceWindowWithState,
  instant: number,
  includeNext = false,
): Occurrence[] {
  const upcoming: Occurrence[] = [];
  for (const occurrence of occurrences(timesOf(window), instant)) {
    const { startsAt } = occurrence;
    if (startsAt <= instant) continue;
    const earliest = Math.min(...findReminderTimes(window, startsAt));
    const isAhead = earliest > instant;
    if (isAhead && !includeNext) break;
    if (startsAt <= (window.state.endedThrough ?? Number.NEGATIVE_INFINITY)) continue;
    if (periodAt(window, startsAt - 1) === undefined) upcoming.push(occurrence);
    if (isAhead) break;
  }
  return upcoming;
}
