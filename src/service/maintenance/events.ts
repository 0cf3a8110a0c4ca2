/** Finds due maintenance events: a window has started, has ended, or starts soon. Pure. */
import { type Occurrence, occurrences } from '../../calendar/occurrences.ts';
import type { MaintenanceState, MaintenanceWindowWithState } from '../store/index.ts';
import { nextChangeAfter, type Period, periodAt } from './periods.ts';

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
  for (const occurrence of occurrences(window.body, instant)) {
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
