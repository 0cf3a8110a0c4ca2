/** Builds parts of checks that several sources need: schedules, retries, time limits and alert settings. */
import type { JsonObject } from '../../../base/object.ts';
import { UPTIME_FREQUENCIES } from '../../../contract/enumerations.ts';
import type { ReportLoss } from './conversion.ts';

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

/** Returns a text of at most some characters. Reports a longer one. */
export function cutText(text: string, maximum: number, field: string, report: ReportLoss): string {
  if (text.length > maximum) report('changed', field, `only the first ${maximum} characters remain`);
  return text.slice(0, maximum);
}

interface TlsHost {
  readonly hostname: string;
  /** A number, or a variable. */
  readonly port: number | string;
  /** Whether the check accepts an untrusted certificate. */
  readonly skipsChain?: boolean;
}

/** Returns the fields of a TLS check that is degraded, or fails, if the certificate expires in less than some days. */
export function certificateCheck(
  { hostname, port, skipsChain = false }: TlsHost,
  days: number,
  at: 'degraded' | 'fails',
): JsonObject {
  const sslConfig = {
    hostname,
    ...(port === 443 ? {} : { port }),
    ...(skipsChain ? { skipChainValidation: true } : {}),
    alertDaysBeforeExpiry: at === 'degraded' ? days : 1,
  };
  const assertion = {
    source: 'CERTIFICATE',
    property: 'daysUntilExpiry',
    comparison: 'GREATER_THAN',
    target: String(days - 1),
  };
  return {
    request: { sslConfig, ...(at === 'fails' && days > 0 ? { assertions: [assertion] } : {}) },
    degradedResponseTime: null,
    maxResponseTime: null,
  };
}
