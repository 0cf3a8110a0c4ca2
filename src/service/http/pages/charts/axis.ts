/** Chooses the ticks of an axis of durations: few, evenly spaced, at round values of ms, s, min or h. Pure. */

/** Round steps within a unit, in ms: 1-2-5 below a minute, then divisors of a minute and of an hour. */
const LONG_STEPS_MS = [15, 30, 60, 120, 300, 600, 1200, 1800, 3600].map((seconds) => seconds * 1000);
const MAX_INTERVALS = 4;

/** Returns the smallest round step of which few intervals reach `most` (ms). */
function stepFor(most: number): number {
  const least = most / MAX_INTERVALS;
  if (least > 10_000) {
    const hour = 3_600_000;
    return LONG_STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / hour) * hour;
  }
  const magnitude = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * magnitude >= least * (1 - 1e-9)) ?? 10;
  return factor * magnitude;
}

/** Returns the ticks from 0 to the first one at or above `most` (ms); an axis without values ends at 1 ms. */
export function durationTicks(most: number): readonly number[] {
  const top = most > 0 ? most : 1;
  const step = stepFor(top);
  const intervals = Math.max(1, Math.ceil(top / step - 1e-9));
  // Multiplied instead of added, so that ticks have no rounding errors.
  return Array.from({ length: intervals + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}
