/**
 * The schedule of a check that a test starts by hand: it runs once a day, at the full hour before the last one of `now`
 * (ms since the epoch), so that for 22 hours no tick comes in the test's way.
 */
export function byHand(now = Date.now()) {
  const hour = (new Date(now).getUTCHours() + 23) % 24;
  return { frequency: 1440, frequencyOffset: hour === 0 ? 24 : hour } as const;
}
