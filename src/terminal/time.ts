/** Formats instants. Callers pass the current time. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const ISO_LIKE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)/;

/** Returns the milliseconds since the epoch of a Date, a number or an ISO 8601 text; undefined for other values. */
export function toInstant(value: unknown): number | undefined {
  const instant =
    value instanceof Date
      ? value.getTime()
      : typeof value === 'string' && ISO_LIKE.test(value)
        ? Date.parse(value)
        : typeof value === 'number'
          ? value
          : Number.NaN;
  return Number.isFinite(instant) && Math.abs(instant) <= 8.64e15 ? instant : undefined;
}

/** Formats an instant for programs in ISO 8601. A text is returned unchanged. */
export function formatIsoTime(value: unknown): string | undefined {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  return typeof value === 'string' ? value : new Date(instant).toISOString();
}

/** Formats an instant relative to now (`3m ago`, `in 2h`); both in milliseconds since the epoch. */
export function formatRelativeTime(instant: number, now: number): string {
  const distance = Math.abs(now - instant);
  if (distance < SECOND) return 'now';
  const [size, unit] = (
    [
      [365 * DAY, 'y'],
      [30 * DAY, 'mo'],
      [DAY, 'd'],
      [HOUR, 'h'],
      [MINUTE, 'm'],
      [SECOND, 's'],
    ] as const
  ).find(([size]) => distance >= size) ?? [SECOND, 's'];
  const amount = `${Math.floor(distance / size)}${unit}`;
  return instant > now ? `in ${amount}` : `${amount} ago`;
}

const padTwo = (value: number): string => String(value).padStart(2, '0');

/**
 * Formats an instant for people: `2026-11-21 14:03:05 +01:00` in the local zone, `2026-11-21 13:03:05 UTC` with `utc`.
 * A date without a time is returned unchanged. Returns undefined if the value is not an instant.
 */
export function formatAbsoluteTime(value: unknown, options: { utc?: boolean } = {}): string | undefined {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  if (typeof value === 'string' && DATE_ONLY.test(value)) return value;
  const date = new Date(instant);
  const offset = options.utc ? 0 : -date.getTimezoneOffset();
  const [day, time] = new Date(instant + offset * MINUTE).toISOString().split('T');
  const zone = options.utc
    ? 'UTC'
    : `${offset < 0 ? '-' : '+'}${padTwo(Math.floor(Math.abs(offset) / 60))}:${padTwo(Math.abs(offset) % 60)}`;
  return `${day} ${time?.slice(0, 8)} ${zone}`;
}
