/** Computes when a maintenance window is open, by its schedule and by manual starts and ends. Pure. */
import { type Occurrence, occurrencesAround } from '../../calendar/occurrences.ts';
import type { MaintenanceState, MaintenanceWindowBody } from '../store/index.ts';

/** The fields of a window that decide when it is open. */
export interface TimedWindow {
  readonly body: MaintenanceWindowBody;
  readonly state: Pick<MaintenanceState, 'startedAt' | 'endedThrough'>;
}

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
  const { last, next } = occurrencesAround(window.body, instant);
  if (last && instant < last.endsAt) return last;
  return next && next.startsAt <= instant + MAX_EARLY_START_MS ? next : undefined;
}

/** Returns the period in which a window is open at an instant, as status pages show it; undefined if it is closed. */
export function periodAt(window: TimedWindow, instant: number): Period | undefined {
  const { startedAt, endedThrough } = window.state;
  const isLasting = ({ endsAt }: Period) => instant < endsAt || !endsAutomatically(window);
  const { last } = occurrencesAround(window.body, instant);
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
  const { last } = occurrencesAround(window.body, instant);
  const period =
    periodAt(window, instant) ??
    (last && last.endsAt <= instant ? periodAt(window, last.endsAt - 1) : undefined);
  return period && { startsAt: period.startsAt, endsAt: Math.min(period.endsAt, instant) };
}

/** Returns the current or next scheduled period; undefined if the window never opens again. */
export function nextPeriod(window: TimedWindow, instant: number): Period | undefined {
  const { endedThrough } = window.state;
  const { last, next } = occurrencesAround(window.body, instant);
  const waits = last && instant < last.endsAt && !(endedThrough !== null && last.startsAt <= endedThrough);
  if (waits) return last;
  if (next && endedThrough !== null && next.startsAt <= endedThrough) {
    return occurrencesAround(window.body, next.startsAt).next;
  }
  return next;
}

/** Returns the next instant at which the result of `periodAt` may change with time; infinity: never. */
export function nextChangeAfter(window: TimedWindow, instant: number): number {
  const { startedAt } = window.state;
  const { last, next } = occurrencesAround(window.body, instant);
  const startable = startedAt === null ? undefined : findStartable(window, startedAt);
  const instants = [last?.endsAt, next?.startsAt, startable?.endsAt, startedAt ?? undefined];
  return Math.min(...instants.map((each) => (each !== undefined && each > instant ? each : Infinity)));
}
