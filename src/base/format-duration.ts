/** Formats durations for people, with the same rounding in the terminal, in messages and on pages. */

const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000];

interface Units {
  readonly ms: string;
  readonly s: string;
  readonly min: string;
  readonly h: string;
  readonly d: string;
}

const COMPACT: Units = { ms: 'ms', s: 's', min: 'm', h: 'h', d: 'd' };
const SPACED: Units = { ms: ' ms', s: ' s', min: ' min', h: ' h', d: ' d' };

/** Formats milliseconds for the terminal: `12.3ms`, `350ms`, `1.2s`, `2m 5s`, `1h 3m`, `2d 4h`. */
export const formatDuration = (ms: number): string => format(ms, COMPACT);

/** Formats milliseconds for sentences and pages: `12.3 ms`, `350 ms`, `1.2 s`, `2 min 5 s`, `1 h 3 min`, `2 d 4 h`. */
export const formatLongDuration = (ms: number): string => format(ms, SPACED);

function format(ms: number, units: Units): string {
  if (ms < 0) return `-${format(-ms, units)}`;
  // A very short duration must not become 0 ms.
  if (ms < 0.05) return `${Number(ms.toFixed(3))}${units.ms}`;
  if (ms < 99.95) return `${Number(ms.toFixed(1))}${units.ms}`;
  if (Math.round(ms) < SECOND) return `${Math.round(ms)}${units.ms}`;
  if (ms < 59_950) return `${Number((ms / SECOND).toFixed(1))}${units.s}`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3600) return formatPair(seconds, 60, units.min, units.s);
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 24 * 60) return formatPair(minutes, 60, units.h, units.min);
  return formatPair(Math.round(ms / HOUR), 24, units.d, units.h);
}

function formatPair(total: number, size: number, large: string, small: string): string {
  const rest = total % size;
  const whole = `${Math.floor(total / size)}${large}`;
  return rest === 0 ? whole : `${whole} ${rest}${small}`;
}
