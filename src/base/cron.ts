/**
 * Computes the times of a cron expression in a time zone.
 *
 * Daylight saving follows Vixie cron: a job at fixed times runs once on each day. A time that the clock skips is the first
 * one after the gap; of a time that comes twice, the first counts. A job with `*` or a step in its minute or hour skips
 * the gap, and runs in both hours of a repeated one.
 */
import { Cron } from 'croner';
import { didYouMean, findNearest } from './suggest.ts';

/** Later than every schedule, and a time that a Date can represent. In ms. */
const NEVER = 8e15;
const FORM = /^\s*(?:@\w+|\S+(?:\s+\S+){4})\s*$/;
const EXAMPLES = 'such as "30 2 * * *" (each day at 2:30) or "*/15 * * * *"';

const parse = (expression: string, timezone: string): Cron =>
  new Cron(expression.trim(), {
    timezone,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
  });

/** Returns why a text is no cron expression, as a predicate. */
export function cronProblem(expression: string): string | undefined {
  if (!FORM.test(expression))
    return `must have five fields (minute, hour, day of month, month, day of week), ${EXAMPLES}`;
  try {
    if (parse(expression, 'UTC').nextRun(new Date(0)) === null) return `must occur on some date, ${EXAMPLES}`;
    return undefined;
  } catch (error) {
    const reason = (error as Error).message.replace(/^\w+: /, '').replace(/\.$/, '');
    return `is not a cron expression: ${reason}; use one ${EXAMPLES}`;
  }
}

/** Returns why a text is no time zone, as a predicate. */
export function timezoneProblem(name: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return undefined;
  } catch {
    const nearest = findNearest(name, [...Intl.supportedValuesOf('timeZone'), 'UTC']);
    return `must be an IANA time zone${nearest === undefined ? ', such as Europe/Berlin or UTC' : `: ${didYouMean(nearest)}`}`;
  }
}

/** Returns the first time after an instant; both in ms. Throws for an invalid expression or time zone. */
export const nextCronTime = (expression: string, timezone: string, after: number): number =>
  parse(expression, timezone).nextRun(new Date(after))?.getTime() ?? NEVER;

/** Returns the first times after an instant, in ms. Throws for an invalid expression or time zone. */
export const nextCronTimes = (expression: string, timezone: string, after: number, count: number): number[] =>
  parse(expression, timezone)
    .nextRuns(count, new Date(after))
    .map((time) => time.getTime());
