/** Computes when a maintenance window is open: once, or repeatedly in its time zone. Pure. */
import { isObject } from '../base/object.ts';
import { instantAt, MAX_INSTANT, type WallTime, wallTimeAt, zoneOf } from './zone.ts';

/** The times of a window, as in the API. */
export interface WindowTimes {
  readonly startsAt?: unknown;
  readonly endsAt?: unknown;
  /** IANA name; UTC if it is missing or unknown. */
  readonly timezone?: unknown;
  readonly repeatUnit?: unknown;
  readonly repeatInterval?: unknown;
  readonly repeatEndsAt?: unknown;
  /** A list of `OccurrenceException`. */
  readonly exceptions?: unknown;
}

/** An occurrence that was moved or cancelled. Times are ISO 8601 timestamps. */
export interface OccurrenceException {
  /** Its start by the times of the window. */
  readonly startsAt: string;
  /** Null: it was cancelled. It stays between the occurrences before and after it. */
  readonly movedTo: { readonly startsAt: string; readonly endsAt: string } | null;
}

/** Start (inclusive) and end (exclusive), in ms since the epoch. */
export interface Occurrence {
  readonly startsAt: number;
  readonly endsAt: number;
  /** The start by the times of the window, if the occurrence was moved. */
  readonly movedFrom?: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** The length of each unit. Months are counted because their length varies. */
const UNITS: Readonly<Record<string, { readonly days: number; readonly months: number }>> = {
  DAY: { days: 1, months: 0 },
  WEEK: { days: 7, months: 0 },
  MONTH: { days: 0, months: 1 },
};

const parseInstant = (date: unknown): number => (typeof date === 'string' ? Date.parse(date) : Number.NaN);

/** The calendar distance between two occurrences. */
interface Repetition {
  readonly days: number;
  readonly months: number;
}

/** Returns how a window repeats, or undefined. An interval that is not a positive integer counts as 1. */
function parseRepetition({ repeatUnit, repeatInterval }: WindowTimes): Repetition | undefined {
  const unit =
    typeof repeatUnit === 'string' && Object.hasOwn(UNITS, repeatUnit) ? UNITS[repeatUnit] : undefined;
  if (!unit) return undefined;
  const interval =
    Number.isSafeInteger(repeatInterval) && Number(repeatInterval) >= 1 ? Number(repeatInterval) : 1;
  return { days: unit.days * interval, months: unit.months * interval };
}

/**
 * Generates the occurrences of a window that are not over at an instant (ms since the epoch), in order. The sequence
 * is infinite if the repetition has no end, and empty if the window ends before it starts.
 *
 * Each occurrence is computed from the first. It starts at the same local time in the window's time zone; a monthly
 * one on the same day, or on the last day of a shorter month. A local time that the clock skips moves forward by the
 * size of the skip; of a repeated local time the first is used. Each occurrence is as long as the first, even across
 * a clock change (RFC 5545, 3.8.5.3). `repeatEndsAt` is the latest possible start. Exceptions move or cancel occurrences.
 */
export function* occurrences(window: WindowTimes, from: number): Generator<Occurrence, void, undefined> {
  const exceptions = exceptionsOf(window);
  if (exceptions.size === 0) {
    yield* scheduledOccurrences(window, from);
    return;
  }
  for (const scheduled of scheduledOccurrences(window, from - longestStepMs(window))) {
    const exception = exceptions.get(scheduled.startsAt);
    const occurrence = exception === undefined ? scheduled : exception;
    if (occurrence !== null && occurrence.endsAt > from) yield occurrence;
  }
}

/**
 * Returns what became of the exceptions of a window, by their starts by the times of the window; null: cancelled. An exception
 * without valid times changes nothing.
 */
export function exceptionsOf({ exceptions }: WindowTimes): ReadonlyMap<number, Occurrence | null> {
  const moves = new Map<number, Occurrence | null>();
  for (const exception of Array.isArray(exceptions) ? exceptions : []) {
    if (!isObject(exception)) continue;
    const { movedTo } = exception;
    const movedFrom = parseInstant(exception.startsAt);
    const moved = isObject(movedTo)
      ? { startsAt: parseInstant(movedTo.startsAt), endsAt: parseInstant(movedTo.endsAt), movedFrom }
      : undefined;
    if (Number.isNaN(movedFrom)) continue;
    if (movedTo === null) moves.set(movedFrom, null);
    // NaN fails this comparison, too.
    else if (moved && moved.startsAt < moved.endsAt) moves.set(movedFrom, moved);
  }
  return moves;
}

/** Returns the longest time by which an occurrence may have moved, in ms: it stays between its neighbours, if it has any. */
function longestStepMs(window: WindowTimes): number {
  const repetition = parseRepetition(window);
  return repetition ? maxStepMs(repetition) + 2 * DAY : Number.POSITIVE_INFINITY;
}

/** Generates the occurrences by the times of the window that are not over at an instant, without its exceptions. */
function* scheduledOccurrences(window: WindowTimes, from: number): Generator<Occurrence, void, undefined> {
  const [startsAt, endsAt] = [parseInstant(window.startsAt), parseInstant(window.endsAt)];
  const length = endsAt - startsAt;
  // NaN fails this comparison, too.
  if (!(length > 0)) return;
  const repetition = parseRepetition(window);
  if (!repetition) {
    if (endsAt > from) yield { startsAt, endsAt };
    return;
  }
  const until = parseInstant(window.repeatEndsAt);
  const last = Number.isNaN(until) ? MAX_INSTANT : until;
  const zone = zoneOf(window.timezone);
  const first = wallTimeAt(startsAt, zone);
  const startOf = (count: number): number =>
    count === 0 ? startsAt : instantAt(addRepetitions(first, repetition, count), zone);
  for (let count = firstCount(startsAt, length, repetition, from); ; count++) {
    const start = startOf(count);
    if (!(start <= last) || start + length > MAX_INSTANT) return;
    if (start + length > from) yield { startsAt: start, endsAt: start + length };
  }
}

function addRepetitions(wall: WallTime, { days, months }: Repetition, count: number): WallTime {
  if (months === 0) return { ...wall, day: wall.day + days * count };
  const month = wall.month + months * count;
  const lastDay = new Date(Date.UTC(wall.year, month, 0)).getUTCDate();
  return { ...wall, month, day: Math.min(wall.day, lastDay) };
}

/** Returns a repetition whose occurrence is certainly over at the instant and not long before it, or 0. */
function firstCount(startsAt: number, length: number, repetition: Repetition, from: number): number {
  // No time zone has ever moved its clock by more than two days.
  return Math.max(0, Math.floor((from - length - startsAt - 2 * DAY) / maxStepMs(repetition)));
}

/** Returns the longest possible time between two starts, in ms. A month has at most 31 days. */
const maxStepMs = ({ days, months }: Repetition): number => (days + months * 31) * DAY;

/** Returns the occurrence in progress at an instant. If several overlap, the one that started first. */
export function occurrenceAt(window: WindowTimes, instant: number): Occurrence | undefined {
  const [first] = take(occurrences(window, instant), 1);
  return first && first.startsAt <= instant ? first : undefined;
}

/** Returns the last occurrence that started by an instant (ms since the epoch), over or not, and the next one. */
export function occurrencesAround(
  window: WindowTimes,
  instant: number,
): { readonly last: Occurrence | undefined; readonly next: Occurrence | undefined } {
  const length = parseInstant(window.endsAt) - parseInstant(window.startsAt);
  const repetition = parseRepetition(window);
  const until = parseInstant(window.repeatEndsAt);
  const anchor = Number.isNaN(until) ? instant : Math.min(instant, until);
  // Far enough back to contain a start, even if the latest ones were moved or cancelled. A window that does not repeat is
  // read whole.
  const exceptions = exceptionsOf(window).size;
  const steps = exceptions === 0 ? 1 : exceptions + 2;
  const since = repetition
    ? anchor - steps * (maxStepMs(repetition) + 2 * DAY) + length
    : Number.NEGATIVE_INFINITY;
  let last: Occurrence | undefined;
  for (const occurrence of occurrences(window, since)) {
    if (occurrence.startsAt > instant) return { last, next: occurrence };
    last = occurrence;
  }
  return { last, next: undefined };
}

/** Returns the first `limit` items. */
export function take<T>(items: Iterable<T>, limit: number): T[] {
  const first: T[] = [];
  if (limit <= 0) return first;
  for (const item of items) if (first.push(item) >= limit) break;
  return first;
}
