/** Builds parts of checks that several sources need: schedules, retries, alert settings and assertions. */
import type { JsonObject } from '../../../base/object.ts';
import { UPTIME_FREQUENCIES } from '../../../contract/enumerations.ts';
import type { ReportLoss } from './conversion.ts';

export interface Assertion {
  readonly source: string;
  readonly property?: string;
  readonly comparison: string;
  readonly target?: string;
  readonly regex?: string;
}

/** Intervals of uptime checks in seconds: 10, 20 and 30 seconds, then minutes. */
const INTERVALS = [
  10,
  20,
  30,
  ...UPTIME_FREQUENCIES.filter((minutes) => minutes > 0).map((minutes) => minutes * 60),
];

/** Formats seconds: `90 s`, `5 min`, `2 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds % 3600 === 0 && seconds > 0) return `${seconds / 3600} h`;
  return seconds % 60 === 0 && seconds > 0 ? `${seconds / 60} min` : `${seconds} s`;
}

const nearestOf = (values: readonly number[], wanted: number): number =>
  values.reduce((best, value) => (Math.abs(value - wanted) < Math.abs(best - wanted) ? value : best));

/** Returns the schedule of an uptime check with the nearest interval; of two, the shorter one. */
export function scheduleOf(seconds: number, report: ReportLoss, minimum = 0): JsonObject {
  const nearest = nearestOf(
    INTERVALS.filter((each) => each >= minimum),
    seconds,
  );
  if (nearest !== seconds)
    report(
      'changed',
      'interval',
      `${formatSeconds(seconds)} became ${formatSeconds(nearest)}, the nearest interval`,
    );
  return nearest < 60 ? { frequency: 0, frequencyOffset: nearest } : { frequency: nearest / 60 };
}

const MAX_RETRIES = 10;
const MAX_RETRY_SECONDS = 600;

/** Returns the strategy of checks that are retried a number of times, with a pause in between. */
export function retriesOf(count: number, pauseSeconds: number, report: ReportLoss): JsonObject {
  if (count <= 0) return { retryStrategy: null };
  const maxRetries = Math.min(count, MAX_RETRIES);
  if (count > MAX_RETRIES) report('changed', 'retries', `${count} became ${MAX_RETRIES}, the maximum`);
  if (maxRetries * pauseSeconds > MAX_RETRY_SECONDS)
    report(
      'changed',
      'retries',
      `no retry starts more than ${formatSeconds(MAX_RETRY_SECONDS)} after the first attempt`,
    );
  return {
    retryStrategy: {
      type: 'FIXED',
      baseBackoffSeconds: pauseSeconds,
      maxRetries,
      maxDurationSeconds: MAX_RETRY_SECONDS,
    },
  };
}

/** Returns limits of the response time that only the timeout decides. */
export function timeoutOf(seconds: number, maximumSeconds: number, report: ReportLoss): JsonObject {
  if (seconds > maximumSeconds)
    report(
      'changed',
      'timeout',
      `${formatSeconds(seconds)} became ${formatSeconds(maximumSeconds)}, the maximum`,
    );
  return {
    degradedResponseTime: null,
    maxResponseTime: Math.round(Math.min(seconds, maximumSeconds) * 1000),
  };
}

const REMINDER_MINUTES = [1, 2, 3, 4, 5, 10, 15, 30];
const UNLIMITED = 100_000;

/** Returns settings that alert after a number of failed runs and repeat the alert. `reminderSeconds` 0: no reminders. */
export function alertSettingsOf(failedRuns: number, reminderSeconds: number, report: ReportLoss): JsonObject {
  const threshold = Math.min(failedRuns, 5);
  if (threshold < failedRuns)
    report('changed', 'alert threshold', `${failedRuns} failed runs became 5, the maximum`);
  if (threshold <= 1 && reminderSeconds <= 0) return {};
  const minutes = nearestOf(REMINDER_MINUTES, reminderSeconds / 60);
  if (reminderSeconds > 0 && minutes * 60 !== reminderSeconds)
    report(
      'changed',
      'reminder interval',
      `${formatSeconds(reminderSeconds)} became ${formatSeconds(minutes * 60)}, the nearest interval`,
    );
  return {
    useGlobalAlertSettings: false,
    alertSettings: {
      escalationType: 'RUN_BASED',
      runBasedEscalation: { failedRunThreshold: Math.max(threshold, 1) },
      ...(reminderSeconds > 0 ? { reminders: { amount: UNLIMITED, interval: minutes } } : {}),
    },
  };
}

/** Returns the nearest number above or below. */
function neighbour(value: number, step: 1 | -1): number {
  if (value === 0) return step * Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = (bits[0] ?? 0n) + BigInt(value > 0 ? step : -step);
  return new Float64Array(bits.buffer)[0] ?? value;
}

/** Returns the comparison of `>`, `>=`, `<` or `<=` with a number. The API has no comparison that includes it. */
export const orderOf = (operator: string, value: number): Pick<Assertion, 'comparison' | 'target'> => ({
  comparison: operator.startsWith('>') ? 'GREATER_THAN' : 'LESS_THAN',
  target: String(operator.endsWith('=') ? neighbour(value, operator.startsWith('>') ? -1 : 1) : value),
});

/** A range of status codes, with both ends. */
export type Range = readonly [from: number, to: number];

/** Joins ranges that overlap or touch. */
function joinRanges(ranges: readonly Range[]): readonly Range[] {
  const joined: Range[] = [];
  for (const [from, to] of [...ranges].sort(([one], [other]) => one - other)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last[1] + 1)
      joined[joined.length - 1] = [last[0], Math.max(last[1], to)];
    else joined.push([from, to]);
  }
  return joined;
}

/** Returns an expression for the numbers of a range of three digits. */
function rangePattern([from, to]: Range): string {
  if (from === to) return String(from);
  const [low, high] = [Math.floor(from / 100), Math.floor(to / 100)];
  if (from % 100 === 0 && to % 100 === 99) return low === high ? `${low}\\d\\d` : `[${low}-${high}]\\d\\d`;
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).join('|');
}

/** Returns assertions that hold for the codes of any of the ranges. */
export function statusAssertions(ranges: readonly Range[]): readonly Assertion[] {
  const source = 'STATUS_CODE';
  const joined = joinRanges(ranges);
  const [only] = joined;
  if (only === undefined) return [];
  if (joined.length > 1)
    return [{ source, comparison: 'NOT_NULL', regex: `^(?:${joined.map(rangePattern).join('|')})$` }];
  if (only[0] === only[1]) return [{ source, comparison: 'EQUALS', target: String(only[0]) }];
  return [
    { source, comparison: 'GREATER_THAN', target: String(only[0] - 1) },
    { source, comparison: 'LESS_THAN', target: String(only[1] + 1) },
  ];
}

/** Returns a TLS check of a host that is degraded, or fails, when its certificate is valid for less than some days. */
export function certificateCheck(
  host: { readonly hostname: string; readonly port: number },
  days: number,
  at: 'degraded' | 'fails',
): JsonObject {
  const { hostname, port } = host;
  const sslConfig = { hostname, ...(port === 443 ? {} : { port }) };
  const limits = { degradedResponseTime: null, maxResponseTime: null };
  if (at === 'degraded')
    return { ...limits, request: { sslConfig: { ...sslConfig, alertDaysBeforeExpiry: days } } };
  const assertion = {
    source: 'CERTIFICATE',
    property: 'daysUntilExpiry',
    comparison: 'GREATER_THAN',
    target: String(days - 1),
  };
  return {
    ...limits,
    request: { sslConfig: { ...sslConfig, alertDaysBeforeExpiry: 1 }, assertions: [assertion] },
  };
}
