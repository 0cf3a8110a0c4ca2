/** Divides a range into the days, weeks or months of a time zone. Weeks begin on Monday. Pure. */
import { instantAt, wallTimeAt, zoneOf } from '../../../calendar/zone.ts';
import { PERIOD_MS } from '../../store/engine/rollup-periods.ts';
import type { TimeRange } from './time-range.ts';

export type Granularity = 'day' | 'week' | 'month';

/** The published limits of a report in buckets. */
const MAX_DAYS = 400;
const MAX_BUCKETS = 120;

/** Returns the calendar buckets of a range, oldest first; the first and the last are cut. Undefined: too many. */
export function calendarBuckets(
  { from, to }: TimeRange,
  granularity: Granularity,
  timezone: string,
): readonly TimeRange[] | undefined {
  if (to - from > MAX_DAYS * PERIOD_MS.DAY) return undefined;
  const zone = zoneOf(timezone);
  const { year, month, day } = wallTimeAt(from, zone);
  const weekday = (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7;
  const edge = (index: number) =>
    granularity === 'month'
      ? instantAt({ year, month: month + index, day: 1, time: 0 }, zone)
      : instantAt(
          { year, month, day: granularity === 'week' ? day - weekday + 7 * index : day + index, time: 0 },
          zone,
        );
  const buckets: TimeRange[] = [];
  for (let index = 0; edge(index) < to; index += 1) {
    if (buckets.length === MAX_BUCKETS) return undefined;
    buckets.push({ from: Math.max(from, edge(index)), to: Math.min(to, edge(index + 1)) });
  }
  return buckets;
}
