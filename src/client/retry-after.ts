/** Parses Retry-After (RFC 9110, 10.2.3). */

const SECONDS = /^[+-]?\d{1,15}(\.\d+)?$/;
const IMF = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const RFC_850 = /^(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const ASCTIME = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;

/** Parses the three forms of HTTP dates to milliseconds since the epoch; returns undefined for other text. */
function parseHttpDate(text: string): number | undefined {
  const asctime = ASCTIME.test(text);
  if (!asctime && !IMF.test(text) && !RFC_850.test(text)) return undefined;
  const at = Date.parse(asctime ? `${text} GMT` : text);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Returns milliseconds to wait, never negative; undefined if the header is absent or invalid. A date is relative to
 * the answer's Date header, so that wrong clocks do not matter, or to `now` without one.
 */
export function parseRetryAfter(
  value: string | undefined,
  context: { readonly date?: string | undefined; readonly now: number },
): number | undefined {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Math.max(0, Number(text) * 1000), Number.MAX_SAFE_INTEGER);
  const at = parseHttpDate(text);
  if (at === undefined) return undefined;
  return Math.max(0, at - (parseHttpDate(context.date?.trim() ?? '') ?? context.now));
}
