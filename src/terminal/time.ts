/** Instants and durations in words. The present is handed in. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const ISO_LIKE = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)/;

/** Milliseconds since the epoch of a Date, of a number of them, or of an ISO 8601 text; undefined for anything else. */
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

/** An instant for a program: ISO 8601, as it came where it came as such. */
export function isoTime(value: unknown): string | undefined {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  return typeof value === 'string' ? value : new Date(instant).toISOString();
}

/** How long ago (`3m ago`) or ahead (`in 2h`) an instant is; both in milliseconds since the epoch. */
export function relativeTime(instant: number, now: number): string {
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

const two = (value: number): string => String(value).padStart(2, '0');

/**
 * An instant for a person: `2026-11-21 14:03:05 +01:00` in the machine's zone, `2026-11-21 13:03:05 UTC` with `utc`.
 * A bare date has no time of day and stays as it came. Undefined where it is no instant.
 */
export function absoluteTime(value: unknown, options: { utc?: boolean } = {}): string | undefined {
  const instant = toInstant(value);
  if (instant === undefined) return undefined;
  if (typeof value === 'string' && DATE_ONLY.test(value)) return value;
  const date = new Date(instant);
  const offset = options.utc ? 0 : -date.getTimezoneOffset();
  const [day, time] = new Date(instant + offset * MINUTE).toISOString().split('T');
  const zone = options.utc
    ? 'UTC'
    : `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
  return `${day} ${time?.slice(0, 8)} ${zone}`;
}

/** A duration in milliseconds for a person: `12.3ms`, `350ms`, `1.2s`, `2m 5s`, `1h 3m`, `2d 4h`. */
export function duration(ms: number): string {
  const sign = ms < 0 ? '-' : '';
  const length = Math.abs(ms);
  // What took a little did not take none.
  if (length < 0.05) return `${sign}${Number(length.toFixed(3))}ms`;
  if (length < 99.95) return `${sign}${Number(length.toFixed(1))}ms`;
  if (Math.round(length) < SECOND) return `${sign}${Math.round(length)}ms`;
  if (length < 59_950) return `${sign}${Number((length / SECOND).toFixed(1))}s`;
  const seconds = Math.round(length / SECOND);
  if (seconds < 3600) return `${sign}${pair(seconds, 60, 'm', 's')}`;
  const minutes = Math.round(length / MINUTE);
  if (minutes < 24 * 60) return `${sign}${pair(minutes, 60, 'h', 'm')}`;
  return `${sign}${pair(Math.round(length / HOUR), 24, 'd', 'h')}`;
}

function pair(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  return rest === 0 ? `${total / size}${large}` : `${Math.floor(total / size)}${large} ${rest}${small}`;
}
