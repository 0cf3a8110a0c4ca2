/** From the dates that requests carry to instants: a timestamp is one, a bare date is midnight in a time zone. */

const BARE_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** How far the clocks of a zone are ahead of UTC at an instant, in ms. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'iso8601',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = new Date(0);
  local.setUTCFullYear(read('year'), read('month') - 1, read('day'));
  local.setUTCHours(read('hour'), read('minute'), read('second'));
  return local.getTime() - instant;
}

/** The instant (ms) of a date or timestamp that the contract has let through; undefined where there is no such instant. */
export function instantOf(text: string, timeZone: string): number | undefined {
  const bare = BARE_DATE.exec(text);
  if (!bare) {
    const instant = Date.parse(text);
    return Number.isNaN(instant) ? undefined : instant;
  }
  const wall = Date.parse(`${text}T00:00:00Z`);
  // The zone's offset at midnight is known only near that midnight: guess, then look again.
  const near = wall - offsetAt(wall, timeZone);
  return wall - offsetAt(near, timeZone);
}
