/** Builds the result of a heartbeat check from a ping or from its absence. */
import { oneLine } from '../../../base/sanitize.ts';
import { EMPTY_OUTCOME } from '../../../runners/execute.ts';
import type { Report } from '../../../worker/port.ts';
import type { HeartbeatRecord, JobRun } from '../../store/heartbeats.ts';
import type { Signal } from './signal.ts';

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
  responseTime: number | null = null,
): Report {
  return {
    ...EMPTY_OUTCOME,
    hasFailures: errors.length > 0,
    isCancelled: false,
    mayRetry: false,
    errors,
    details,
    responseTime,
    startedAt: now,
    stoppedAt: now,
  };
}

/** Maximum length of a job's text in an error. */
const LONGEST_QUOTE = 200;

/** Returns why a job says that it failed: its message, or else the last line of its output. */
function failureMessage({ exitCode, message, output }: Signal): string {
  const failure = exitCode === null ? 'the job reported a failure' : `the job exited with code ${exitCode}`;
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const text = oneLine(message ?? lines.at(-1) ?? '', LONGEST_QUOTE);
  return text === '' ? failure : `${failure}: ${text}`;
}

/** Returns the report of a ping. `run`: the run that it ends, if its start is known. */
export function pingReport(
  before: HeartbeatRecord,
  now: number,
  signal: Signal,
  run: JobRun | undefined,
): Report {
  const { kind, message, exitCode, output, isCut, runId, method, userAgent } = signal;
  const duration = signal.durationMs ?? (run === undefined ? null : Math.max(0, now - run.startedAt));
  const isFailure = kind === 'FAILURE';
  const details = {
    event: isFailure ? 'FAILED' : 'PING',
    pingedAt: iso(now),
    lastPingAt: iso(before.lastPingAt),
    dueAt: iso(before.dueAt),
    ...{ method, userAgent },
    message,
    exitCode,
    runId: runId ?? run?.id ?? null,
    runStartedAt: iso(run?.startedAt ?? null),
    duration,
    ...(before.job.log === '' ? {} : { log: before.job.log }),
    ...(output === '' ? {} : { output, isOutputCut: isCut }),
  };
  return createReport(now, isFailure ? [failureMessage(signal)] : [], details, duration);
}

const graceText = (graceMs: number): string =>
  graceMs === 0 ? '' : ` and a grace period of ${formatSpan(graceMs)}`;

/** Returns the report of a missed ping. */
export function missReport(before: HeartbeatRecord, now: number): Report {
  const { lastPingAt, dueAt, periodMs, graceMs, cron, timezone, job } = before;
  const expected =
    cron === null || dueAt === null
      ? `within ${formatSpan(periodMs)}${graceText(graceMs)}`
      : `for ${iso(dueAt - graceMs)} (${cron}, ${timezone})${graceText(graceMs).replace(' and', ', within')}`;
  const [run] = job.runs;
  const running = run === undefined ? '' : `; a run that started at ${iso(run.startedAt)} has not ended`;
  const last = lastPingAt === null ? 'there was no ping before' : `the last ping was at ${iso(lastPingAt)}`;
  const details = { event: 'MISSED', lastPingAt: iso(lastPingAt), dueAt: iso(dueAt) };
  return createReport(now, [`no ping received ${expected}: ${last}${running}`], details);
}

/** Returns the report of a run that started and did not end in time. */
export function unfinishedReport(before: HeartbeatRecord, now: number, run: JobRun): Report {
  const { lastPingAt, dueAt, graceMs, job } = before;
  const limit =
    graceMs === 0 ? 'before the next ping was expected' : `within the grace period of ${formatSpan(graceMs)}`;
  const id = run.id === null ? '' : ` ${run.id}`;
  return createReport(now, [`the run${id} that started at ${iso(run.startedAt)} did not end ${limit}`], {
    event: 'UNFINISHED',
    lastPingAt: iso(lastPingAt),
    dueAt: iso(dueAt),
    runId: run.id,
    runStartedAt: iso(run.startedAt),
    ...(job.log === '' ? {} : { log: job.log }),
  });
}
