/** Formats durations for the messages of this folder. */

/** Returns `120 ms`, `1.5 s`, `45 s`, `5 min` or `3 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 9950) return `${Number((ms / 1000).toFixed(1))} s`;
  if (ms < 90_000) return `${Math.round(ms / 1000)} s`;
  return ms < 5_400_000 ? `${Math.round(ms / 60_000)} min` : `${Math.round(ms / 3_600_000)} h`;
}
