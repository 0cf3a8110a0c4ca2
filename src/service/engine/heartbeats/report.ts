/** Builds the result of a heartbeat check from a ping or from its absence. */
import { EMPTY_OUTCOME } from '../../../runners/execute.ts';
import type { Report } from '../../../worker/port.ts';
import type { HeartbeatRecord } from '../../store/heartbeats.ts';

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
  [1000, 'second'],
];

/** Formats a duration in the largest unit that divides it: `1 day`, `90 minutes`. */
export function formatSpan(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1000, 'second'];
  const count = ms / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const iso = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString();

function createReport(
  now: number,
  errors: readonly string[],
  details: Readonly<Record<string, unknown>>,
): Report {
  return {
    ...EMPTY_OUTCOME,
    hasFailures: errors.length > 0,
    isCancelled: false,
    mayRetry: false,
    errors,
    details,
    startedAt: now,
    stoppedAt: now,
  };
}

/** The HTTP request of a ping. */
export interface Ping {
  readonly method: string;
  readonly userAgent: string | undefined;
}

const MAX_USER_AGENT = 200;

/** Returns the report of a ping. */
export const pingReport = (before: HeartbeatRecord, now: number, { method, userAgent }: Ping): Report =>
  createReport(now, [], {
    event: 'PING',
    pingedAt: iso(now),
    lastPingAt: iso(before.lastPingAt),
    dueAt: iso(before.dueAt),
    method,
    userAgent: userAgent?.slice(0, MAX_USER_AGENT) ?? null,
  });

/** Returns the report of a missed ping. */
export function missReport(before: HeartbeatRecord, now: number): Report {
  const { lastPingAt, dueAt, periodMs, graceMs } = before;
  const grace = graceMs === 0 ? '' : ` and a grace period of ${formatSpan(graceMs)}`;
  const message = `no ping received within ${formatSpan(periodMs)}${grace}: the last ping was at ${iso(lastPingAt)}`;
  return createReport(now, [message], { event: 'MISSED', lastPingAt: iso(lastPingAt), dueAt: iso(dueAt) });
}
