/** Finds the first occurrences of maintenance windows that repeat at a local time. */
import type { JsonObject } from '../../../base/object.ts';
import { instantAt, wallTimeAt, type Zone } from '../../../calendar/zone.ts';
import { cutText } from './check-parts.ts';
import type { ReportLoss } from './conversion.ts';

/** One window, without the resources that it concerns. */
export interface Period {
  /** Distinguishes several windows of one maintenance: `Monday`. */
  readonly label?: string;
  readonly startsAt: number;
  readonly endsAt: number;
  readonly repeat?: { readonly interval: number; readonly unit: 'DAY' | 'WEEK' | 'MONTH' };
}

const MINUTE = 60_000;
export const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MAX_DAYS = 366;

interface DailyTime {
  /** The first day: an instant of it, in ms since the epoch. */
  readonly from: number;
  readonly startMinutes: number;
  readonly lengthMinutes: number;
  readonly zone: Zone;
}

/** Returns the first period from a day on whose day meets a condition. */
function firstPeriod(
  { from, startMinutes, lengthMinutes, zone }: DailyTime,
  matches: (day: Date) => boolean,
): Period {
  const first = wallTimeAt(from, zone);
  let days = 0;
  while (days < MAX_DAYS && !matches(new Date(Date.UTC(first.year, first.month - 1, first.day + days))))
    days++;
  const startsAt = instantAt({ ...first, day: first.day + days, time: startMinutes * MINUTE }, zone);
  return { startsAt, endsAt: startsAt + lengthMinutes * MINUTE };
}

export const dailyPeriod = (time: DailyTime, interval: number): Period => ({
  ...firstPeriod(time, () => true),
  repeat: { interval, unit: 'DAY' },
});

/** `weekday`: 0 is Sunday. */
export const weeklyPeriod = (time: DailyTime, weekday: number): Period => ({
  ...firstPeriod(time, (day) => day.getUTCDay() === weekday),
  label: WEEKDAYS[weekday] ?? String(weekday),
  repeat: { interval: 1, unit: 'WEEK' },
});

export const monthlyPeriod = (time: DailyTime, day: number): Period => ({
  ...firstPeriod(time, (date) => date.getUTCDate() === day),
  label: `day ${day}`,
  repeat: { interval: 1, unit: 'MONTH' },
});

/** Returns minutes since midnight of `14:30`; NaN for another text. */
export function minutesOf(time: string): number {
  const [, hours, minutes] = time.match(/^(\d{1,2}):(\d\d)(?::\d\d)?$/) ?? [];
  return Number(hours) * 60 + Number(minutes);
}

const MAX_NAME = 200;

/** Returns the name and the times of a window. */
export const windowFields = (
  title: string,
  { label, startsAt, endsAt, repeat }: Period,
  report: ReportLoss,
): JsonObject => ({
  name: cutText(label === undefined ? title : `${title} (${label})`, MAX_NAME, 'name', report),
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
  repeatUnit: repeat?.unit ?? null,
  ...(repeat === undefined ? {} : { repeatInterval: repeat.interval }),
});
