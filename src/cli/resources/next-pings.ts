/** Formats when the next pings of a heartbeat check with a cron expression are expected. */
import { cronProblem, nextCronTimes, timezoneProblem } from '../../base/cron.ts';

const COUNT = 5;

/** Returns the next five times in the time zone of the expression; undefined without a valid one. `now`: ms. */
export function formatNextPings(
  { cron, timezone }: { readonly cron?: unknown; readonly timezone?: unknown },
  now: number,
): string[] | undefined {
  const zone = typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC';
  if (typeof cron !== 'string' || cron === '') return undefined;
  if (cronProblem(cron) !== undefined || timezoneProblem(zone) !== undefined) return undefined;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ timeZone: zone, weekday: 'short', year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
  } as const);
  return nextCronTimes(cron, zone, now, COUNT).map((time) => {
    const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
    const { weekday, year, month, day, hour, minute, timeZoneName } = parts;
    return `${weekday} ${year}-${month}-${day} ${hour}:${minute} ${timeZoneName}`;
  });
}
