/** The rule between the fields of a maintenance window. */
import { isObject } from '../base/object.ts';
import { plural } from '../base/plural.ts';
import type { RequestParts, Violation } from './endpoint.ts';

/** Rules between the fields of a maintenance window. For an update, the service validates absent fields. */
export function maintenanceWindow({ body }: RequestParts): readonly Violation[] {
  if (!isObject(body)) return [];
  const { startsAt, endsAt, repeatEndsAt, repeatInterval, repeatUnit, timezone } = body;
  const shown = isObject(body.statusPageVisibility) ? body.statusPageVisibility : {};
  const { affectAllServices, serviceIds } = shown;
  const found: Violation[] = [];
  const add = (path: readonly string[], message: string) =>
    found.push({ in: 'body', path: [...path], keyword: 'maintenanceWindow', message, origin: 'gaps' });
  // A date includes its day.
  if (isLater(startsAt, endsAt, typeof endsAt === 'string' && endsAt.includes('T')))
    add(['endsAt'], 'must be later than startsAt');
  const gap = shortestGap(repeatUnit, repeatInterval);
  if (gap !== undefined && (lengthOf(startsAt, endsAt) ?? 0) > gap.ms)
    add(
      ['endsAt'],
      `must be at most ${plural(gap.ms / DAY_MS, 'day')} after startsAt, because the window repeats every ${gap.period}: its repetitions would overlap`,
    );
  if (isLater(startsAt, repeatEndsAt, false)) add(['repeatEndsAt'], 'must not be earlier than startsAt');
  if (typeof repeatInterval === 'number' && !Number.isInteger(repeatInterval)) {
    add(['repeatInterval'], 'must be a whole number');
  }
  if (typeof timezone === 'string' && !isTimeZone(timezone)) {
    add(['timezone'], 'must be an IANA time zone such as Europe/Berlin');
  }
  if (affectAllServices === true && Array.isArray(serviceIds) && serviceIds.length > 0) {
    add(
      ['statusPageVisibility', 'serviceIds'],
      'must be empty when statusPageVisibility.affectAllServices is true',
    );
  }
  return found;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Returns the length of a window in ms; undefined if it is unknown. Two dates include both days. */
function lengthOf(startsAt: unknown, endsAt: unknown): number | undefined {
  if (typeof startsAt !== 'string' || typeof endsAt !== 'string') return undefined;
  if (startsAt.includes('T') !== endsAt.includes('T')) return undefined;
  return Date.parse(endsAt) - Date.parse(startsAt) + (endsAt.includes('T') ? 0 : DAY_MS);
}

/** Returns the shortest time between two starts of a window, and its name; undefined if it does not repeat. */
function shortestGap(
  unit: unknown,
  every: unknown,
): { readonly ms: number; readonly period: string } | undefined {
  const interval = typeof every === 'number' && every >= 1 ? Math.trunc(every) : 1;
  // Months from February on are the shortest.
  const days = {
    DAY: interval,
    WEEK: 7 * interval,
    MONTH: (Date.UTC(2025, 1 + interval) - Date.UTC(2025, 1)) / DAY_MS,
  }[String(unit)];
  if (days === undefined) return undefined;
  const name = String(unit).toLowerCase();
  return { ms: days * DAY_MS, period: interval === 1 ? name : `${interval} ${name}s` };
}

/** Whether a date is not before another one. The service compares a date with a timestamp, because it knows the time zone. */
function isLater(one: unknown, other: unknown, orEqual: boolean): boolean {
  if (typeof one !== 'string' || typeof other !== 'string' || one.includes('T') !== other.includes('T')) {
    return false;
  }
  const [first, second] = [Date.parse(one), Date.parse(other)];
  return first > second || (orEqual && first === second);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
