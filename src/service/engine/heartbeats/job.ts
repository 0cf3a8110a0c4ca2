/** Follows the runs of a heartbeat's job from their start pings to their ends. Pure; all times are in ms. */
import type { HeartbeatProgress, Job, JobRun } from '../../store/heartbeats.ts';
import { LONGEST_TEXT } from './signal.ts';
import {
  dueAfterFailure,
  expectedAfter,
  type HeartbeatTimes,
  type HeartbeatTransition,
  type Outage,
  type Pauses,
  SHORT_OUTAGE_MS,
} from './state.ts';

/** Maximum number of runs at the same time. The oldest are forgotten first. */
const MAX_RUNS = 20;

/** A job may run for the grace period; without one, until the next ping is expected. */
export const runLimit = (times: HeartbeatTimes, startedAt: number): number =>
  times.graceMs > 0 ? times.graceMs : expectedAfter(times, startedAt) - startedAt;

/** Applies the start of a run. A second start with the same ID, or without one, replaces the first. */
export function startRun(job: Job, times: HeartbeatTimes, now: number, id: string | null): Job {
  const run: JobRun = { id, startedAt: now, dueAt: now + runLimit(times, now) };
  return { ...job, runs: [...job.runs.filter((other) => other.id !== id), run].slice(-MAX_RUNS) };
}

/** Applies the end of a run. Without an ID it also ends all others. `run`: the run that ended, if its start is known. */
export function endRun(job: Job, id: string | null): { readonly job: Job; readonly run: JobRun | undefined } {
  const [only, second] = job.runs;
  const run =
    job.runs.find((each) => each.id === id) ?? (id === null && second === undefined ? only : undefined);
  return { job: { ...job, runs: id === null ? [] : job.runs.filter((each) => each !== run) }, run };
}

/** Adds a text to the log of the job, of which it keeps the end. */
export function addToLog(job: Job, text: string): Job {
  const lines = [job.log, text.trimEnd()].filter((each) => each !== '');
  return { ...job, log: lines.join('\n').slice(-LONGEST_TEXT) };
}

const withRun = (job: Job, changed: JobRun, dueAt: number | null): Job => ({
  ...job,
  runs: job.runs.map((run) => (run === changed ? { ...run, dueAt } : run)),
});

/**
 * Evaluates the runs of a heartbeat at `now`: one that started and did not end in time fails once. A run has more time for
 * the pauses since its start.
 */
export function checkRuns(
  before: HeartbeatProgress,
  times: HeartbeatTimes,
  now: number,
  pauses: Pauses,
): HeartbeatTransition & { readonly run?: JobRun } {
  const [run] = before.job.runs
    .filter(({ dueAt }) => dueAt !== null && dueAt < now)
    .sort((one, other) => (one.dueAt ?? 0) - (other.dueAt ?? 0));
  if (run === undefined) return { next: before, event: undefined };
  const since = pauses(run.startedAt, now);
  const paused = since.reduce((sum, { from, to }) => sum + to - from, 0);
  const limit = runLimit(times, run.startedAt);
  const due =
    since.at(-1)?.to === now ? now + limit : Math.max(run.startedAt + limit + paused, run.dueAt ?? 0);
  if (due >= now) return { next: { ...before, job: withRun(before.job, run, due) }, event: undefined };
  const job = withRun(before.job, run, null);
  const next = {
    ...before,
    job,
    state: 'DOWN',
    dueAt: dueAfterFailure(times, now),
    recordedAt: now,
  } as const;
  return { next, event: 'unfinished', run };
}

/** Gives runs more time after an outage of the service, in which their ends may have been lost. */
export function applyOutageToRuns(job: Job, times: HeartbeatTimes, { from, to }: Outage): Job {
  const isShort = from !== null && to - from <= SHORT_OUTAGE_MS;
  return {
    ...job,
    runs: job.runs.map((run) => {
      if (run.dueAt === null || run.startedAt > to) return run;
      const more = to + (isShort ? SHORT_OUTAGE_MS : runLimit(times, run.startedAt));
      return { ...run, dueAt: Math.max(run.dueAt, more) };
    }),
  };
}

/** Converts the times of runs to a clock that was set. */
export const shiftRuns = (job: Job, shiftMs: number): Job => ({
  ...job,
  runs: job.runs.map(({ id, startedAt, dueAt }) => ({
    id,
    startedAt: startedAt + shiftMs,
    dueAt: dueAt === null ? null : dueAt + shiftMs,
  })),
});
