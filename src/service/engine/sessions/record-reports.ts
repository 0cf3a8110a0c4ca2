/**
 * Records results in one transaction: session state, retries, error groups, and what follows from the end of a
 * session.
 */
import { groupBy } from '../../../base/object.ts';
import { createUuidV7 } from '../../../base/random.ts';
import type { Report } from '../../../worker/port.ts';
import type { NewResult } from '../../store/engine/results.ts';
import type { NewRun, Run } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import type { StoredReport } from '../artifacts/artifact-files.ts';
import { groupFailures } from '../error-groups/group-failures.ts';
import { recordTestErrors } from '../error-groups/record-test-errors.ts';
import { toSuiteRun } from '../results/suite-run.ts';
import { toCheckLocationRows } from './check-location-rows.ts';
import { createRun, type Plan, type PlannedSession, planSession } from './plan-session.ts';
import { planRetry, type Retry } from './retries.ts';
import { poolOf, type Subject } from './settings.ts';
import { type SessionEvent, verdictOfResult } from './states.ts';
import {
  applyTransitions,
  type ChangeContext,
  combineEffects,
  type Effects,
  NO_EFFECTS,
} from './transitions.ts';

export interface RunReport {
  readonly worker: string;
  readonly runId: number;
  readonly report: StoredReport;
  /** The ID of the result if the reporter chose it, so that a repeated report is recognized. */
  readonly resultId?: string;
  /** A client may wait for the session, so the report is not delayed. */
  readonly isAwaited?: boolean;
}

export interface RecordedReports {
  readonly effects: Effects;
  readonly recorded: ReadonlySet<RunReport>;
}

/** Records reports of runs that their workers still hold, and ignores others. */
export async function recordReports(
  context: ChangeContext,
  reports: readonly RunReport[],
): Promise<RecordedReports> {
  const { data } = context;
  // A former holder may report the same run, so each report counts only for its own worker.
  const reporters = groupBy(reports, ({ runId }) => runId);
  const heldRuns = (await data.runs.holders([...reporters.keys()])).filter(({ id, claimed_by }) =>
    reporters.get(id)?.some(({ worker }) => worker === claimed_by),
  );
  // Every transaction locks sessions first. The lock on a session also covers its runs.
  const locked = await data.sessions.lock([...new Set(heldRuns.map((run) => run.session_id))]);
  const sessions = new Map(locked.map((session) => [session.id, session]));
  const runs = new Map((await data.runs.removeClaimed(heldRuns)).map((run) => [run.id, run]));
  const transitions = new Map<string, { session: SessionRecord; events: SessionEvent[]; isOpen?: boolean }>();
  const retries: NewRun[] = [];
  const results: RunResult[] = [];
  const effects: Effects[] = [];
  const recorded = new Set<RunReport>();
  for (const reported of reports) {
    const { runId, report, worker } = reported;
    const run = runs.get(runId);
    const session = run && sessions.get(run.session_id);
    if (run === undefined || session === undefined || run.claimed_by !== worker) continue;
    runs.delete(runId);
    recorded.add(reported);
    const isCancelling = session.cancelled_at !== null;
    const effective = report.isCancelled && !isCancelling ? abortedReport(report) : report;
    const retry =
      isCancelling || effective.isCancelled ? undefined : chooseRetry(context, session, run, effective);
    if (retry !== undefined) retries.push(createRetryRun(context, session, run, effective, retry));
    const { resultId: id } = reported;
    results.push({ session, run, report: effective, type: retry === undefined ? 'FINAL' : 'ATTEMPT', id });
    const events = transitions.get(session.id)?.events ?? [];
    if (!effective.isCancelled) {
      events.push({ type: 'reported', final: retry === undefined, verdict: verdictOfResult(effective) });
    }
    // In one location there is only one run at a time, and a retry replaces it.
    const isAlone = (JSON.parse(session.locations) as string[]).length === 1;
    transitions.set(session.id, { session, events, ...(isAlone ? { isOpen: retry !== undefined } : {}) });
    const claimableAt = retry === undefined ? null : retry.notBefore;
    const pools = retry === undefined ? [] : [poolOf(retry.location)];
    effects.push({ ...NO_EFFECTS, attempts: 1, errors: effective.hasErrors ? 1 : 0, claimableAt, pools });
  }
  await data.runs.insert(retries);
  await insertResults(context, results);
  const settled = await applyTransitions(context, [...transitions.values()]);
  return { effects: combineEffects([settled, ...effects]), recorded };
}

function createRetryRun(
  { limits }: ChangeContext,
  session: SessionRecord,
  run: Run,
  report: StoredReport,
  retry: Retry,
): NewRun {
  return createRun({
    accountId: run.account_id,
    sessionId: session.id,
    sequenceId: run.sequence_id,
    location: retry.location,
    timeoutMs: run.timeout_ms,
    notBefore: retry.notBefore,
    claimBy: retry.notBefore + limits.claimMs,
    retryOf: {
      checkRunId: run.check_run_id ?? run.id,
      attempt: run.attempt + 1,
      firstStartedAt: run.first_started_at ?? report.startedAt,
      firstLocation: run.first_location ?? run.location,
    },
  });
}

/** Returns the retry of a failed run, or undefined if the retry could not end before the session's deadline. */
function chooseRetry({ now }: ChangeContext, session: SessionRecord, run: Run, report: StoredReport) {
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
      receivedAt: now,
      isNetworkError: report.isNetworkError,
    },
    elsewhere,
  );
  const isTooLate =
    planned !== undefined && session.ends_by !== null && planned.notBefore + run.timeout_ms > session.ends_by;
  return isTooLate ? undefined : planned;
}

function abortedReport(report: StoredReport): StoredReport {
  return {
    ...report,
    isCancelled: false,
    hasErrors: true,
    errors: ['the worker aborted the run, although the session was not cancelled', ...report.errors],
  };
}

export interface RunResult {
  readonly session: SessionRecord;
  readonly run: Run;
  readonly report: StoredReport;
  readonly type: 'FINAL' | 'ATTEMPT';
  /** Default: a new ID. */
  readonly id?: string | undefined;
  /** Default: whether the run was cancelled. */
  readonly aborted?: boolean;
}

export async function insertResults(context: ChangeContext, outcomes: readonly RunResult[]): Promise<void> {
  const groups = await groupFailures(context.data.errorGroups, outcomes);
  const rows = outcomes.map((outcome) => toResultRow(context, outcome, groups.get(outcome) ?? []));
  await context.data.results.insert(rows);
  const identified = outcomes.map((outcome, index) => ({ ...outcome, id: rows[index]?.id ?? '' }));
  await recordTestErrors(context.data, rows);
  await context.data.checkLocations.record(context.now, toCheckLocationRows(identified));
  await context.data.suiteRuns.insert(
    rows.flatMap((row, index) => toSuiteRun(row, outcomes[index]?.report.details) ?? []),
  );
  await context.data.artifacts.insert(
    outcomes.flatMap(({ session, report }, index) =>
      (report.stored ?? []).map((artifact) => ({
        id: artifact.id,
        account_id: session.account_id,
        result_id: rows[index]?.id ?? '',
        kind: artifact.kind,
        name: artifact.name,
        content_type: artifact.contentType,
        bytes: artifact.bytes,
        place: report.place ?? null,
      })),
    ),
  );
}

function toResultRow(
  { now, random }: ChangeContext,
  { session, run, report, type, id = createUuidV7(random, now), aborted = report.isCancelled }: RunResult,
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

/** A result to record, and its location. */
export interface Observation {
  readonly subject: Subject;
  readonly location: string;
  readonly report: Report;
}

/** Holds these runs while they are written, so that no worker claims them. */
const OBSERVER_WORKER = 'service/observer';

export async function recordObservations(
  context: ChangeContext,
  observations: readonly Observation[],
): Promise<{ readonly effects: Effects; readonly planned: readonly PlannedSession<string>[] }> {
  const { data, now, limits, random } = context;
  const planned = observations.map(({ subject: { check, settings }, location }) =>
    planSession({
      check,
      settings,
      now,
      limits,
      runSource: 'SCHEDULER',
      rotation: 0,
      publicLocations: [location],
      runLocation: location,
      uuid: () => createUuidV7(random, now),
    }),
  );
  if (planned.length === 0) return { effects: NO_EFFECTS, planned };
  await data.sessions.insert(planned.map(({ session }) => session));
  const claimed = {
    state: 'RUNNING',
    claimed_by: OBSERVER_WORKER,
    claimed_at: now,
    lease_until: now,
  } as const;
  const ids = await data.runs.insertNumbered(
    planned.flatMap(({ runs }) => runs.map((run) => ({ ...run, ...claimed }))),
  );
  const { effects } = await recordReports(
    context,
    observations.map(({ report }, index) => ({ worker: OBSERVER_WORKER, runId: ids[index] ?? 0, report })),
  );
  return { effects, planned };
}

const MAX_ERRORS = 20;
const MAX_ERROR_LENGTH = 2000;

const MEGABYTE = 1024 * 1024;
/** Limits of an agent's report: bytes of JSON, number of errors, and characters per error. */
const MAX_AGENT_BYTES = MEGABYTE;
const MAX_AGENT_ERRORS = 100;
const MAX_AGENT_ERROR_LENGTH = 16_000;

/** Keeps the verdict, the first errors and the files, and adds an error that explains why the rest is missing. */
export function reduceReport({ errors, stored, ...report }: StoredReport, why: string): StoredReport {
  const first = errors.slice(0, MAX_ERRORS).map((text) => text.slice(0, MAX_ERROR_LENGTH));
  return {
    ...report,
    errors: [...first, `The details of this result are not stored. ${why}`],
    ...(stored === undefined ? { details: {} } : { stored, details: { artifacts: stored } }),
  };
}

/** Limits an agent's report, because a list loads many results at once. */
export function limitReport(report: StoredReport): StoredReport {
  const errors = report.errors
    .slice(0, MAX_AGENT_ERRORS)
    .map((text) => text.slice(0, MAX_AGENT_ERROR_LENGTH));
  const bounded = { ...report, errors };
  const bytes = Buffer.byteLength(JSON.stringify([errors, report.details]));
  if (bytes <= MAX_AGENT_BYTES) return bounded;
  return reduceReport(
    bounded,
    `Their size is ${(bytes / MEGABYTE).toFixed(1)} MB: the limit for agents is 1 MB.`,
  );
}
