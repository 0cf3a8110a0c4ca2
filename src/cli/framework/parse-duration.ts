/** Parses durations: `500ms`, `30s`, `10m`, `1h30m`. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The maximum delay of a timer, about 24 days. A longer timer would fire at once. */
export const MAX_DURATION_MS = 2 ** 31 - 1;

/** Returns milliseconds; undefined if the text is not a duration. A number needs a unit, except 0. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g);
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0);
}
