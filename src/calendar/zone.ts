/** Converts between instants and local times of time zones, with Node's time zone data. Pure. */

/** A local date and time. `month` starts at 1; day and month may be out of range, as in `Date.UTC`. */
export interface WallTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly time: number;
}

/** Returns a time zone's offset from UTC, in ms, at an instant (ms since the epoch). */
export type Zone = (instant: number) => number;

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60 * 1000;
/** The last instant that a Date can represent. */
export const MAX_INSTANT = 8.64e15;
/** Maximum number of days to cache per time zone. */
const MAX_CACHED_DAYS = 10_000;

const utc: Zone = () => 0;
const zones = new Map<string, Zone>();

/** Returns the time zone of an IANA name, or UTC for an unknown name. */
export function zoneOf(name: unknown): Zone {
  if (typeof name !== 'string' || name === 'UTC') return utc;
  const known = zones.get(name);
  if (known !== undefined) return known;
  const made = makeZone(name);
  const zone = made === utc ? utc : cacheByDay(made);
  zones.set(name, zone);
  return zone;
}

/** Returns whether Node knows a time zone by this name. */
export function isZone(name: unknown): name is string {
  return typeof name === 'string' && (name === 'UTC' || zoneOf(name) !== utc);
}

/**
 * Caches the offset of each day without a clock change. A formatter takes a hundred times as long, and windows ask
 * for the same few days.
 */
function cacheByDay(zone: Zone): Zone {
  const days = new Map<number, number | undefined>();
  return (instant) => {
    const day = Math.floor(instant / DAY);
    if (!days.has(day)) {
      // No zone has ever changed twice within two days, so equal offsets at both ends mean no change in between.
      const [begins, ends] = [
        zone(Math.max(day * DAY, -MAX_INSTANT)),
        zone(Math.min((day + 1) * DAY, MAX_INSTANT)),
      ];
      if (days.size >= MAX_CACHED_DAYS) days.clear();
      days.set(day, begins === ends ? begins : undefined);
    }
    return days.get(day) ?? zone(instant);
  };
}

function makeZone(timeZone: string): Zone {
  let format: Intl.DateTimeFormat;
  try {
    const date = { era: 'short', year: 'numeric', month: 'numeric', day: 'numeric' } as const;
    const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...date, ...time });
  } catch {
    return utc;
  }
  return (instant) => {
    const parts: Record<string, string> = {};
    for (const { type, value } of format.formatToParts(instant)) parts[type] = value;
    const number = (name: string): number => Number(parts[name]);
    const year = parts.era === 'BC' ? 1 - number('year') : number('year');
    const shown = utcAt(year, number('month'), number('day'));
    const time = (number('hour') * 60 + number('minute')) * MINUTE + number('second') * 1000;
    return shown + time - Math.floor(instant / 1000) * 1000;
  };
}

/** Works like Date.UTC, which maps the years 0 to 99 to 1900 to 1999, but keeps the year. */
function utcAt(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month - 1, day);
}

/** Returns the local time of a zone at an instant. */
export function wallTimeAt(instant: number, zone: Zone): WallTime {
  const shown = new Date(instant + zone(instant));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    time: shown.getTime() - Math.floor(shown.getTime() / DAY) * DAY,
  };
}

/**
 * Returns the instant of a local time: the first of two if it repeats, and moved forward if the clock skips it.
 * Returns NaN outside the range of a Date.
 */
export function instantAt({ year, month, day, time }: WallTime, zone: Zone): number {
  const shown = utcAt(year, month, day) + time;
  if (Number.isNaN(shown)) return Number.NaN;
  // No zone has ever changed twice within two days, so only these two offsets are possible.
  const [before, after] = [zone(shown - DAY), zone(shown + DAY)];
  const candidates = [before, after]
    .map((offset) => shown - offset)
    .filter((each) => each + zone(each) === shown);
  return candidates.length > 0 ? Math.min(...candidates) : shown - before;
}
