/** Clocks of time zones: what they show at an instant, and at which instant they show it. Pure, by the zones that Node knows. */

/** What a clock on the wall shows. `month` counts from 1; day and month may lie beyond their ends, as in `Date.UTC`. */
export interface Wall {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly time: number;
}

/** A time zone's offset from UTC, in ms, at an instant (ms since the epoch). */
export type Zone = (instant: number) => number;

const DAY = 24 * 60 * 60 * 1000;
const MINUTE = 60 * 1000;
/** The last instant that a date can hold. */
export const LAST = 8.64e15;
/** So many days of a zone are remembered. */
const MOST_DAYS = 10_000;

const utc: Zone = () => 0;
const zones = new Map<string, Zone>();

/** The zone of an IANA name; UTC for what is none. */
export function zoneOf(name: unknown): Zone {
  if (typeof name !== 'string' || name === 'UTC') return utc;
  const known = zones.get(name);
  if (known !== undefined) return known;
  const made = makeZone(name);
  const zone = made === utc ? utc : byDays(made);
  zones.set(name, zone);
  return zone;
}

/** Whether Node knows a zone by this name. */
export function isZone(name: unknown): name is string {
  return typeof name === 'string' && (name === 'UTC' || zoneOf(name) !== utc);
}

/**
 * The zone, asked once of a day on which its clock is not set: what a formatter tells takes a hundred times as long, and windows
 * ask of the same few days.
 */
function byDays(zone: Zone): Zone {
  const days = new Map<number, number | undefined>();
  return (instant) => {
    const day = Math.floor(instant / DAY);
    if (!days.has(day)) {
      // No zone has ever changed twice in two days: what holds at both ends of one holds in between.
      const [begins, ends] = [zone(Math.max(day * DAY, -LAST)), zone(Math.min((day + 1) * DAY, LAST))];
      if (days.size >= MOST_DAYS) days.clear();
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

/** As Date.UTC of a date, which takes the years 0 to 99 for the last century. */
function utcAt(year: number, month: number, day: number): number {
  const date = new Date(0);
  return date.setUTCFullYear(year, month - 1, day);
}

/** What the clock of a zone shows at an instant. */
export function wallAt(instant: number, zone: Zone): Wall {
  const shown = new Date(instant + zone(instant));
  return {
    year: shown.getUTCFullYear(),
    month: shown.getUTCMonth() + 1,
    day: shown.getUTCDate(),
    time: shown.getTime() - Math.floor(shown.getTime() / DAY) * DAY,
  };
}

/**
 * The instant at which the clock of a zone shows this: the first of two, and for a time that it jumps over as much later as it
 * jumps. Not a number beyond the dates there are.
 */
export function atWall({ year, month, day, time }: Wall, zone: Zone): number {
  const shown = utcAt(year, month, day) + time;
  if (Number.isNaN(shown)) return Number.NaN;
  // No zone has ever changed twice in two days: the offsets before and after are all there can be.
  const [before, after] = [zone(shown - DAY), zone(shown + DAY)];
  const found = [before, after].map((offset) => shown - offset).filter((each) => each + zone(each) === shown);
  return found.length > 0 ? Math.min(...found) : shown - before;
}
