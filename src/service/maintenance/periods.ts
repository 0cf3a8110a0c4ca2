/** When a maintenance window is open: by its calendar, and by the people who start and end it. Pure. */
import { type Occurrence, occurrencesAround } from '../../calendar/occurrences.ts';
import type { MaintenanceState, MaintenanceWindowBody } from '../store/index.ts';

/** What decides when a window is open. */
export interface Timed {
  readonly body: MaintenanceWindowBody;
  readonly state: Pick<MaintenanceState, 'startedAt' | 'endedThrough'>;
}

/** A time in which a window is open, in ms since the epoch. */
export interface Period {
  /** When it began: as planned, or earlier or later by hand. */
  readonly startsAt: number;
  /** When it is planned to end. It may last longer where `autoEnd` is false; checks run again from then on all the same. */
  readonly endsAt: number;
}

/** A person may start what begins within so long. */
const EARLIEST_MS = 24 * 60 * 60 * 1000;

/** Fields of `statusPageVisibility` count only where it is enabled (docs/gaps.md). */
function visibility({ body }: Timed) {
  const shown = body.statusPageVisibility;
  return shown?.enabled === true ? shown : undefined;
}
const startsItself = (window: Timed) => visibility(window)?.autoStart !== false;
const endsItself = (window: Timed) => visibility(window)?.autoEnd !== false;

/** The occurrence that a person means who starts the window at an instant: the one under way, or the next within a day. */
export function meantBy(window: Timed, instant: number): Occurrence | undefined {
  const { last, next } = occurrencesAround(window.body, instant);
  if (last && instant < last.endsAt) return last;
  return next && next.startsAt <= instant + EARLIEST_MS ? next : undefined;
}

/** The period in which a window is open at an instant, as status pages show it; undefined where it is not. */
export function periodAt(window: Timed, instant: number): Period | undefined {
  const { startedAt, endedThrough } = window.state;
  const lasts = ({ endsAt }: Period) => instant < endsAt || !endsItself(window);
  const { last } = occurrencesAround(window.body, instant);
  const isOver = !last || (endedThrough !== null && last.startsAt <= endedThrough) || !lasts(last);
  const planned = isOver || !startsItself(window) ? undefined : last;
  if (startedAt === null || startedAt > instant) return planned;
  const meant = meantBy(window, startedAt);
  if (!meant || !lasts(meant) || (planned && planned.startsAt > meant.startsAt)) return planned;
  return { startsAt: planned ? Math.min(startedAt, planned.startsAt) : startedAt, endsAt: meant.endsAt };
}

/** The period in which a window is open at an instant, or was last, up to that instant: as far as it does anything to checks. */
export function periodUpTo(window: Timed, instant: number): Period | undefined {
  const { last } = occurrencesAround(window.body, instant);
  const period =
    periodAt(window, instant) ??
    (last && last.endsAt <= instant ? periodAt(window, last.endsAt - 1) : undefined);
  return period && { startsAt: period.startsAt, endsAt: Math.min(period.endsAt, instant) };
}

/** The period that is open or comes next at an instant by the calendar; undefined where the window is over for good. */
export function comingPeriod(window: Timed, instant: number): Period | undefined {
  const { endedThrough } = window.state;
  const { last, next } = occurrencesAround(window.body, instant);
  const waits = last && instant < last.endsAt && !(endedThrough !== null && last.startsAt <= endedThrough);
  if (waits) return last;
  if (next && endedThrough !== null && next.startsAt <= endedThrough) {
    return occurrencesAround(window.body, next.startsAt).next;
  }
  return next;
}

/** The first instant after this one at which `periodAt` may answer otherwise by itself; infinity: never. */
export function changesAfter(window: Timed, instant: number): number {
  const { startedAt } = window.state;
  const { last, next } = occurrencesAround(window.body, instant);
  const meant = startedAt === null ? undefined : meantBy(window, startedAt);
  const instants = [last?.endsAt, next?.startsAt, meant?.endsAt, startedAt ?? undefined];
  return Math.min(...instants.map((each) => (each !== undefined && each > instant ? each : Infinity)));
}
