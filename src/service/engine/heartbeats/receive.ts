/** Applies a report of a job to its heartbeat. Pure. */
import type { Report } from '../../../worker/port.ts';
import { type HeartbeatProgress, type HeartbeatRecord, IDLE_JOB } from '../../store/heartbeats.ts';
import { addToLog, endRun, startRun } from './job.ts';
import { pingReport } from './report.ts';
import type { Signal } from './signal.ts';
import { applyFailure, applyPing } from './state.ts';
import { timesOf } from './times.ts';

interface ReceiveOptions {
  /** Whether the check is deactivated: no ping is expected or recorded. */
  readonly isInactive: boolean;
  /** Whether the signal is recorded for what it says. */
  readonly hasDetails: boolean;
}

/** Returns the new state of the heartbeat, and the report to record, if any. */
export function receive(
  before: HeartbeatRecord,
  now: number,
  signal: Signal,
  { isInactive, hasDetails }: ReceiveOptions,
): { readonly next: HeartbeatProgress; readonly report?: Report } {
  const times = timesOf(before);
  const { kind, runId, output } = signal;
  if (kind === 'LOG' || kind === 'START') {
    if (isInactive) return { next: before };
    const job = addToLog(before.job, output);
    return { next: { ...before, job: kind === 'START' ? startRun(job, times, now, runId) : job } };
  }
  const { job, run } = endRun(before.job, runId);
  const isDetailed = hasDetails || run !== undefined || job.log !== '';
  const apply = kind === 'FAILURE' ? applyFailure : applyPing;
  const { next, event } = apply(before, times, now, { isInactive, hasDetails: isDetailed });
  if (event === undefined) return { next: { ...next, job: isInactive ? IDLE_JOB : job } };
  return { next: { ...next, job: { ...job, log: '' } }, report: pingReport(before, now, signal, run) };
}
