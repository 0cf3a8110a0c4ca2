/** When a maintenance window is open: once, or again and again by the clock of its own time zone. Pure. */
import { atWall, LAST, type Wall, wallAt, zoneOf } from './zone.ts';

/** What a window says of its times, in the API's spelling. */
export interface WindowTimes {
  readonly startsAt?: unknown;
  readonly endsAt?: unknown;
  /** IANA name; UTC where there is none, or one that nobody knows. */
  readonly timezone?: unknown;
  readonly repeatUnit?: unknown;
  readonly repeatInterval?: unknown;
  readonly repeatEndsAt?: unknown;
}

/** From its start up to its end, both in milliseconds since the epoch. */
export interface Occurrence {
  readonly startsAt: number;
  readonly endsAt: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** The shortest a unit can be; months are counted, not measured. */
const UNITS: Readonly<Record<string, { readonly days: number; readonly months: number }>> = {
  DAY: { days: 1, months: 0 },
  WEEK: { days: 7, months: 0 },
  MONTH: { days: 0, months: 1 },
};

const instantOf = (date: unknown): number => (typeof date === 'string' ? Date.parse(date) : Number.NaN);

/** How far it is from one occurrence to the next by the calendar. */
interface Repetition {
  readonly days: number;
  readonly months: number;
}

/** How a window repeats; undefined where it doesn't. What is no whole number of units is taken for one. */
function repetitionOf({ repeatUnit, repeatInterval }: WindowTimes): Repetition | undefined {
  const unit =
    typeof repeatUnit === 'string' && Object.hasOwn(UNITS, repeatUnit) ? UNITS[repeatUnit] : undefined;
  if (!unit) return undefined;
  const interval =
    Number.isSafeInteger(repeatInterval) && Number(repeatInterval) >= 1 ? Number(repeatInterval) : 1;
  return { days: unit.days * interval, months: unit.months * interval };
}

/**
 * A window's occurrences that are not over at an instant (ms since the epoch), in order; without end where the repetition has
 * none, and none of a window that ends before it starts.
 *
 * Every occurrence is counted from the first: it begins at the same time of day by the clock of the window's time zone, and
 * monthly on the same day, or the last of a month that is shorter, so that the 31st comes back after it. A time that the clock
 * jumps over is later by as much as it jumps; of one that it shows twice the first is meant. An occurrence is as long as the
 * first, however the clock is set in it: that is what RFC 5545 (3.8.5.3) says of what repeats from a start to an end.
 * `repeatEndsAt` is the last instant at which one may begin.
 */
export function* occurrences(window: WindowTimes, from: number): Generator<Occurrence, void, undefined> {
  const [startsAt, endsAt] = [instantOf(window.startsAt), instantOf(window.endsAt)];
  const length = endsAt - startsAt;
  // Not a number is not more than nothing, either.
  if (!(length > 0)) return;
  const repetition = repetitionOf(window);
  if (!repetition) {
    if (endsAt > from) yield { startsAt, endsAt };
    return;
  }
  const until = instantOf(window.repeatEndsAt);
  const last = Number.isNaN(until) ? LAST : until;
  const zone = zoneOf(window.timezone);
  const first = wallAt(startsAt, zone);
  const startOf = (count: number): number =>
    count === 0 ? startsAt : atWall(later(first, repetition, count), zone);
  for (let count = firstCount(startsAt, length, repetition, from); ; count++) {
    const start = startOf(count);
    if (!(start <= last) || start + length > LAST) return;
    if (start + length > from) yield { startsAt: start, endsAt: start + length };
  }
}

/** A wall clock so many repetitions later; the day of a month that is too short is its last. */
function later(wall: Wall, { days, months }: Repetition, count: number): Wall {
  if (months === 0) return { ...wall, day: wall.day + days * count };
  const month = wall.month + months * count;
  const lastDay = new Date(Date.UTC(wall.year, month, 0)).getUTCDate();
  return { ...wall, month, day: Math.min(wall.day, lastDay) };
}

/** A number of repetitions after which the occurrence is surely over at the instant, or the first; never far before. */
function firstCount(startsAt: number, length: number, repetition: Repetition, from: number): number {
  // No clock is ever set by more than two days.
  return Math.max(0, Math.floor((from - length - startsAt - 2 * DAY) / longestOf(repetition)));
}

/** The longest time between two starts by the calendar, in ms: a month has 31 days at most. */
const longestOf = ({ days, months }: Repetition): number => (days + months * 31) * DAY;

/** The occurrence that is under way at an instant, if any; of several the one that began first. */
export function occurrenceAt(window: WindowTimes, instant: number): Occurrence | undefined {
  const [first] = take(occurrences(window, instant), 1);
  return first && first.startsAt <= instant ? first : undefined;
}

/** The occurrence that began last at an instant (ms since the epoch), over or not, and the one that begins next. */
export function occurrencesAround(
  window: WindowTimes,
  instant: number,
): { readonly last: Occurrence | undefined; readonly next: Occurrence | undefined } {
  const length = instantOf(window.endsAt) - instantOf(window.startsAt);
  const repetition = repetitionOf(window);
  const until = instantOf(window.repeatEndsAt);
  const anchor = Number.isNaN(until) ? instant : Math.min(instant, until);
  // Far enough back that one of a repetition began since; of one that does not repeat all there is.
  const since = repetition ? anchor - longestOf(repetition) - 2 * DAY + length : Number.NEGATIVE_INFINITY;
  let last: Occurrence | undefined;
  for (const occurrence of occurrences(window, since)) {
    if (occurrence.startsAt > instant) return { last, next: occurrence };
    last = occurrence;
  }
  return { last, next: undefined };
}

/** The first of some things. */
export function take<T>(things: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  if (most <= 0) return taken;
  for (const thing of things) if (taken.push(thing) >= most) break;
  return taken;
}
