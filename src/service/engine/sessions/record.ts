/** Records results and moves their sessions: result, state, retry, error group and what hangs on them, in one transaction. */
import { grouped } from '../../../base/group-by.ts';
import { timedUuid } from '../../../base/random.ts';
import type { NewResult } from '../../store/engine/results.ts';
import type { NewRun, Run } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { KeptReport } from '../artifacts/files.ts';
import { groupFailures } from '../error-groups/failures.ts';
import { newRun, type Plan } from './plan.ts';
import { type Effects, NO_EFFECTS, type Recorder, together } from './recorder.ts';
import { planRetry, type Retry } from './retries.ts';
import { poolOf } from './settings.ts';
import { type SessionEvent, verdictOfResult } from './states.ts';
import { settle } from './transitions.ts';

export type { EndedSession } from './recorder.ts';

/** What a worker found. */
export interface Reported {
  readonly worker: string;
  readonly runId: number;
  readonly report: KeptReport;
  /** The id of its result, where who reports has made one: it may report again what has been recorded. */
  readonly resultId?: string;
  /** Somebody started its session, and may wait for it: it is not kept for what else is found. */
  readonly isAwaited?: boolean;
}

/** What came of reports. */
export interface Recorded {
  readonly effects: Effects;
  /** Those that were recorded. */
  readonly kept: ReadonlySet<Reported>;
}

/** Records what workers report of runs that they hold; nothing of those that they hold no longer. */
export async function recordReports(recorder: Recorder, reports: readonly Reported[]): Promise<Recorded> {
  const { data } = recorder;
  // Who held a run before may report it as well: each report counts for its own worker alone.
  const reporters = grouped(reports, ({ runId }) => runId);
  const seen = (await data.runs.holders([...reporters.keys()])).filter(({ id, claimed_by }) =>
    reporters.get(id)?.some(({ worker }) => worker === claimed_by),
  );
  // The sessions first, in every transaction: who holds their rows alone moves them and their runs.
  const locked = await data.sessions.lock([...new Set(seen.map((run) => run.session_id))]);
  const sessions = new Map(locked.map((session) => [session.id, session]));
  const runs = new Map((await data.runs.removeClaimed(seen)).map((run) => [run.id, run]));
  const happened = new Map<string, { session: SessionRecord; events: SessionEvent[]; isOpen?: boolean }>();
  const retries: NewRun[] = [];
  const results: Outcome[] = [];
  const effects: Effects[] = [];
  const kept = new Set<Reported>();
  for (const reported of reports) {
    const { runId, report, worker } = reported;
    const run = runs.get(runId);
    const session = run && sessions.get(run.session_id);
    if (run === undefined || session === undefined || run.claimed_by !== worker) continue;
    runs.delete(runId);
    kept.add(reported);
    const asked = session.cancelled_at !== null;
    const told = report.isCancelled && !asked ? brokenOff(report) : report;
    const retry = asked || told.isCancelled ? undefined : retryOf(recorder, session, run, told);
    if (retry !== undefined) retries.push(retryRun(recorder, session, run, told, retry));
    const { resultId: id } = reported;
    results.push({ session, run, report: told, type: retry === undefined ? 'FINAL' : 'ATTEMPT', id });
    const events = happened.get(session.id)?.events ?? [];
    if (!told.isCancelled) {
      events.push({ type: 'reported', final: retry === undefined, verdict: verdictOfResult(told) });
    }
    // In one location there is one run at a time, and a retry takes its place.
    const isAlone = (JSON.parse(session.locations) as string[]).length === 1;
    happened.set(session.id, { session, events, ...(isAlone ? { isOpen: retry !== undefined } : {}) });
    const claimableAt = retry === undefined ? null : retry.notBefore;
    const pools = retry === undefined ? [] : [poolOf(retry.location)];
    effects.push({ ...NO_EFFECTS, attempts: 1, errors: told.hasErrors ? 1 : 0, claimableAt, pools });
  }
  await data.runs.insert(retries);
  await insertResults(recorder, results);
  const settled = await settle(recorder, [...happened.values()]);
  return { effects: together([settled, ...effects]), kept };
}

function retryRun(
  { limits }: Recorder,
  session: SessionRecord,
  run: Run,
  report: KeptReport,
  retry: Retry,
): NewRun {
  return newRun({
    ...{ accountId: run.account_id, sessionId: session.id, sequenceId: run.sequence_id },
    ...{ location: retry.location, timeoutMs: run.timeout_ms },
    ...{ notBefore: retry.notBefore, claimBy: retry.notBefore + limits.claimMs },
    retryOf: {
      checkRunId: run.check_run_id ?? run.id,
      attempt: run.attempt + 1,
      firstStartedAt: run.first_started_at ?? report.startedAt,
    },
  });
}

/** The retry that follows; none where it could not be over before its session must be: what is known then stands. */
function retryOf({ now }: Recorder, session: SessionRecord, run: Run, report: KeptReport) {
  if (!(report.hasFailures || report.hasErrors) || report.mayRetry === false || session.plan === null)
    return undefined;
  const { retry, elsewhere } = JSON.parse(session.plan) as Plan;
  const planned = planRetry(
    retry,
    {
      attempt: run.attempt,
      location: run.location,
      firstStartedAt: run.first_started_at ?? report.startedAt,
      stoppedAt: report.stoppedAt,
      heardAt: now,
      isNetworkError: report.isNetworkError,
    },
    elsewhere,
  );
  const isTooLate =
    planned !== undefined && session.ends_by !== null && planned.notBefore + run.timeout_ms > session.ends_by;
  return isTooLate ? undefined : planned;
}

function brokenOff(report: KeptReport): KeptReport {
  return {
    ...report,
    isCancelled: false,
    hasErrors: true,
    errors: ['the worker aborted the run, although the session was not cancelled', ...report.errors],
  };
}

/** A result as it is to be kept. */
export interface Outcome {
  readonly session: SessionRecord;
  readonly run: Run;
  readonly report: KeptReport;
  readonly type: 'FINAL' | 'ATTEMPT';
  /** Left out: a new one. */
  readonly id?: string | undefined;
  /** Left out: where it was cancelled. */
  readonly aborted?: boolean;
}

export async function insertResults(recorder: Recorder, outcomes: readonly Outcome[]): Promise<void> {
  const groups = await groupFailures(recorder.data.errorGroups, outcomes);
  const rows = outcomes.map((outcome) => resultOf(recorder, outcome, groups.get(outcome) ?? []));
  await recorder.data.results.insert(rows);
  await recorder.data.artifacts.insert(
    outcomes.flatMap(({ session, report }, at) =>
      (report.kept ?? []).map((kept) => ({
        ...{ id: kept.id, account_id: session.account_id, result_id: rows[at]?.id ?? '' },
        ...{ kind: kept.kind, name: kept.name, content_type: kept.contentType, bytes: kept.bytes },
      })),
    ),
  );
}

function resultOf(
  { now, random }: Recorder,
  { session, run, report, type, id = timedUuid(random, now), aborted = report.isCancelled }: Outcome,
  groups: readonly string[],
): NewResult {
  return {
    id,
    account_id: session.account_id,
    check_id: session.check_id,
    session_id: session.id,
    test_session_id: session.test_session_id,
    check_name: session.check_name,
    check_type: session.check_type,
    location: run.location,
    check_run_id: run.check_run_id ?? run.id,
    sequence_id: run.sequence_id,
    attempt: run.attempt,
    result_type: type,
    has_failures: Number(report.hasFailures),
    has_errors: Number(report.hasErrors),
    is_degraded: Number(report.isDegraded),
    over_max_response_time: Number(report.overMaxResponseTime),
    is_cancelled: Number(report.isCancelled),
    aborted: Number(aborted),
    started_at: report.startedAt,
    stopped_at: report.stoppedAt,
    created_at: now,
    response_time_us: report.responseTime === null ? null : Math.round(report.responseTime * 1000),
    errors: JSON.stringify(report.errors),
    details: JSON.stringify(report.details),
    error_group_ids: JSON.stringify(groups),
  };
}
