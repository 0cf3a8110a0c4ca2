/** What there is to tell of a window at an instant: that it has started, has ended, or is about to start. Pure. */
import { type Occurrence, occurrences } from '../../calendar/occurrences.ts';
import type { MaintenanceState, MaintenanceWindowWithState } from '../store/index.ts';
import { changesAfter, type Period, periodAt } from './periods.ts';

export type NewsKind = 'STARTED' | 'ENDED' | 'REMINDER';

/** Something that subscribers are told. */
export interface News {
  readonly kind: NewsKind;
  /** What it is about; of a window that has ended the time in which it was open. */
  readonly period: Period;
}

const MINUTE = 60_000;

/** What is to be told now, and what is kept of it, so that it is told once. */
export interface Advance {
  readonly news: readonly News[];
  readonly state: MaintenanceState;
}

/**
 * How a window stands at an instant (ms since the epoch), against what was kept of it. Undefined: nothing has happened. What
 * nobody was there for is told late only while it is still true: a start while it is open, a reminder before the start.
 */
export function advanceOf(window: MaintenanceWindowWithState, instant: number): Advance | undefined {
  const { body, state } = window;
  const shown = body.statusPageVisibility?.enabled === true ? body.statusPageVisibility : undefined;
  const period = periodAt(window, instant);
  const news: News[] = [];
  let { openSince, remindedUntil } = state;
  if (period && openSince === null) {
    openSince = instant;
    if (shown?.notifyOnStart) news.push({ kind: 'STARTED', period });
  } else if (!period && openSince !== null) {
    if (shown?.notifyOnEnd) news.push({ kind: 'ENDED', period: { startsAt: openSince, endsAt: instant } });
    openSince = null;
  }
  const due = comingStarts(window, instant).filter(({ startsAt }) =>
    remindersOf(window, startsAt).some((at) => at > remindedUntil && at <= instant),
  );
  if (due.length > 0) remindedUntil = instant;
  news.push(...due.map((reminded) => ({ kind: 'REMINDER' as const, period: reminded })));
  if (openSince === state.openSince && remindedUntil === state.remindedUntil) return undefined;
  return { news, state: { ...state, openSince, remindedUntil } };
}

/** The first instant after this one at which `advanceOf` may have something; infinity: never. */
export function newsAfter(window: MaintenanceWindowWithState, instant: number): number {
  const reminders = comingStarts(window, instant, true).flatMap(({ startsAt }) =>
    remindersOf(window, startsAt).filter((at) => at > Math.max(instant, window.state.remindedUntil)),
  );
  return Math.min(changesAfter(window, instant), ...reminders);
}

/** When subscribers are reminded of a start, each instant once. */
function remindersOf({ body }: MaintenanceWindowWithState, startsAt: number): number[] {
  const shown = body.statusPageVisibility;
  if (shown?.enabled !== true) return [];
  return [...new Set(shown.reminderMinutesBefore ?? [])].map((minutes) => startsAt - minutes * MINUTE);
}

/**
 * The starts that lie ahead and of which a reminder may be due; with `andOneMore` also the first of which none can be. A window
 * that is open until then, or was ended for it, starts nothing.
 */
function comingStarts(window: MaintenanceWindowWithState, instant: number, andOneMore = false): Occurrence[] {
  const coming: Occurrence[] = [];
  for (const occurrence of occurrences(window.body, instant)) {
    const { startsAt } = occurrence;
    if (startsAt <= instant) continue;
    const earliest = Math.min(...remindersOf(window, startsAt));
    const isAhead = earliest > instant;
    if (isAhead && !andOneMore) break;
    if (startsAt <= (window.state.endedThrough ?? Number.NEGATIVE_INFINITY)) continue;
    if (periodAt(window, startsAt - 1) === undefined) coming.push(occurrence);
    if (isAhead) break;
  }
  return coming;
}
