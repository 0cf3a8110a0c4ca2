/** Resolves the time ranges of analytics. Weeks begin on Monday, and days and months are those of UTC. Pure. */
import type { QuickRange } from '../../../contract/analytics-metrics.ts';
import { PERIOD_MS } from '../../store/engine/rollup-periods.ts';

/** Instants in ms: `from` inclusive, `to` exclusive. */
export interface TimeRange {
  readonly from: number;
  readonly to: number;
}

const { DAY } = PERIOD_MS;

/** Returns the start of the week that contains an instant. */
function weekStart(instant: number): number {
  const day = Math.floor(instant / DAY) * DAY;
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY;
}
/** Returns the start of the month that contains an instant, or of a month before it. */
function monthStart(instant: number, before = 0): number {
  const date = new Date(instant);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - before, 1);
}

export function quickRange(name: QuickRange, now: number): TimeRange {
  // Includes a result that started in the current millisecond.
  const to = now + 1;
  switch (name) {
    case 'last24Hours':
    case 'last24Hrs':
      return { from: now - DAY, to };
    case 'last7Days':
      return { from: now - 7 * DAY, to };
    case 'last30Days':
      return { from: now - 30 * DAY, to };
    case 'thisWeek':
      return { from: weekStart(now), to };
    case 'thisMonth':
      return { from: monthStart(now), to };
    case 'lastWeek':
      return { from: weekStart(now) - 7 * DAY, to: weekStart(now) };
    case 'lastMonth':
      return { from: monthStart(now, 1), to: monthStart(now) };
    default:
      return name satisfies never;
  }
}

/** The last second that a Date can represent. */
export const MAX_SECOND = 8_640_000_000_000;

/** Converts Unix seconds to ms, rounded up: whole milliseconds divide results at `from` and `to` as the fraction does. */
export const secondsToMs = (seconds: number): number =>
  Math.ceil(Math.round(Math.min(seconds, MAX_SECOND) * 1_000_000) / 1000);

/** Returns the range of a request, in which `from` and `to` (Unix seconds) replace the ends of the quick range. */
export function resolveRange(
  query: { readonly from?: number; readonly to?: number; readonly quickRange?: QuickRange },
  now: number,
): TimeRange {
  if (query.from === undefined && query.to === undefined)
    return quickRange(query.quickRange ?? 'last24Hours', now);
  const to = query.to === undefined ? now + 1 : secondsToMs(query.to);
  return { from: query.from === undefined ? to - DAY : secondsToMs(query.from), to };
}

/** Returns the shortest range of whole periods of UTC that contains a range. */
export function alignRange({ from, to }: TimeRange, periodMs: number): TimeRange {
  return { from: Math.floor(from / periodMs) * periodMs, to: Math.ceil(to / periodMs) * periodMs };
}
