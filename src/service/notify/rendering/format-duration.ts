/** Formats durations for pages, e-mails and alerts. */

const formatTwoUnits = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

/** Formats `250 ms`, `5.5 s`, `1 min 29 s`, `2 h 5 min`, `3 d 4 h`, rounded to the smaller of two units. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${Number((ms / 1000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return formatTwoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(ms / 60_000);
  if (minutes < 24 * 60) return formatTwoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(ms / 3_600_000);
  return formatTwoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}
