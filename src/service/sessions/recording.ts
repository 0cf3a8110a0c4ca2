/** Records a result and moves its session: result, state, retry, error group and what hangs on them, in one transaction. */
import type { Random } from '../../base/random.ts';
import type { Report } from '../../worker/port.ts';
import type { KeptReport } from '../artifacts/files.ts';
import { cleaned, hashOf } from '../error-groups/clean.ts';
import type { EngineData } from '../store/engine/index.ts';
import type { ResultRecord } from '../store/engine/results.ts';
import { earliest, type Run } from '../store/engine/runs.ts';
import type { SessionRecord } from '../store/engine/sessions.ts';
import type { StoreTransaction } from '../store/index.ts';
import { deadlineOf, type Limits, newRun, type Plan } from './plan.ts';
import { planRetry } from './retries.ts';
import {
  isTerminal,
  moved,
  type SessionEvent,
  type SessionStatus,
  testStatusOf,
  verdictOfResult,
} from './states.ts';

/** A session that has just ended, for what follows from it in the same transaction (alerts). */
export interface EndedSession {
  readonly session: SessionRecord;
  /** All its results, attempts included, in the order they came. */
  readonly results: readonly ResultRecord[];
}

/** The transaction that a change happens in, and what it needs. */
export interface Recorder {
  readonly data: EngineData;
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly random: Random;
  readonly limits: Limits;
  readonly onEnded: ((tx: StoreTransaction, ended: EndedSession) => Promise<void>) | undefined;
}

/** What is to be told once the change is committed. */
export interface Effects {
  readonly ended: readonly { readonly id: string; readonly status: string }[];
  readonly testsEnded: readonly string[];
  readonly attempts: number;
  readonly errors: number;
  /** The earliest instant at which something new may be claimed; null: nothing new. */
  readonly claimableAt: number | null;
}

export const NO_EFFECTS: Effects = { ended: [], testsEnded: [], attempts: 0, errors: 0, claimableAt: null };

export function together(effects: readonly Effects[]): Effects {
  return {
    ended: effects.flatMap(({ ended }) => ended),
    testsEnded: [...new Set(effects.flatMap(({ testsEnded }) => testsEnded))],
    attempts: effects.reduce((sum, { attempts }) => sum + attempts, 0),
    errors: effects.reduce((sum, { errors }) => sum + errors, 0),
    claimableAt: earliest(...effects.map(({ claimableAt }) => claimableAt)),
  };
}

/** Records what a worker reports of a run that it holds; nothing where it holds it no longer. */
export async function recordReport(
  recorder: Recorder,
  worker: string,
  runId: number,
  report: KeptReport,
): Promise<Effects> {
  const { data } = recorder;
  const seen = await data.runs.get(runId);
  if (seen === undefined || seen.claimed_by !== worker) return NO_EFFECTS;
  // The session first, in every transaction: who holds its row alone moves it and its runs.
  const session = await data.sessions.lock(seen.session_id);
  const run = await data.runs.take(runId, worker);
  if (session === undefined || run === undefined) return NO_EFFECTS;
  const asked = session.cancelled_at !== null;
  const told = report.isCancelled && !asked ? brokenOff(report) : report;
  const retry = asked || told.isCancelled ? undefined : retryOf(session, run, told);
  if (retry !== undefined) {
    const claimBy = retry.notBefore + recorder.limits.claimMs;
    await data.runs.insert([
      newRun({
        ...{ accountId: run.account_id, sessionId: session.id, sequenceId: run.sequence_id },
        ...{ location: retry.location, timeoutMs: run.timeout_ms, notBefore: retry.notBefore, claimBy },
        retryOf: {
          checkRunId: run.check_run_id ?? run.id,
          attempt: run.attempt + 1,
          firstStartedAt: run.first_started_at ?? told.startedAt,
        },
      }),
    ]);
  }
  await insertResult(recorder, session, run, told, retry === undefined ? 'FINAL' : 'ATTEMPT');
  const events: SessionEvent[] = told.isCancelled
    ? []
    : [{ type: 'reported', final: retry === undefined, verdict: verdictOfResult(told) }];
  const settled = await settle(recorder, session, events);
  return together([
    settled,
    {
      ...NO_EFFECTS,
      attempts: 1,
      errors: told.hasErrors ? 1 : 0,
      claimableAt: retry === undefined ? null : retry.notBefore,
    },
  ]);
}

function retryOf(session: SessionRecord, run: Run, report: Report) {
  if (!(report.hasFailures || report.hasErrors) || report.mayRetry === false || session.plan === null)
    return undefined;
  const { retry, elsewhere } = JSON.parse(session.plan) as Plan;
  return planRetry(
    retry,
    {
      attempt: run.attempt,
      location: run.location,
      firstStartedAt: run.first_started_at ?? report.startedAt,
      stoppedAt: report.stoppedAt,
      isNetworkError: report.isNetworkError,
    },
    elsewhere,
  );
}

function brokenOff(report: KeptReport): KeptReport {
  return {
    ...report,
    isCancelled: false,
    hasErrors: true,
    errors: ['the run was broken off by its worker, and nobody had cancelled it', ...report.errors],
  };
}

export async function insertResult(
  { data, now, random }: Recorder,
  session: SessionRecord,
  run: Run,
  report: KeptReport,
  type: 'FINAL' | 'ATTEMPT',
  aborted = report.isCancelled,
): Promise<void> {
  const [message] = report.hasFailures ? report.errors : [];
  const text = message === undefined ? undefined : cleaned(message);
  const group =
    message === undefined || text === undefined
      ? undefined
      : await data.errorGroups.record({
          ...{ accountId: session.account_id, checkId: session.check_id },
          ...{
            hash: hashOf(text),
            raw: withoutNul(message).slice(0, LONGEST_RAW),
            cleaned: text,
            seenAt: report.stoppedAt,
          },
        });
  const id = random.uuid();
  await data.results.insert({
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
    error_group_ids: JSON.stringify(group === undefined ? [] : [group]),
  });
  await data.artifacts.insert(
    (report.kept ?? []).map((kept) => ({
      ...{ id: kept.id, account_id: session.account_id, result_id: id },
      ...{ kind: kept.kind, name: kept.name, content_type: kept.contentType, bytes: kept.bytes },
    })),
  );
}

/** So much of a message is kept with its group; the result has all of it. */
const LONGEST_RAW = 20_000;

/** A target may answer anything; a NUL cannot be stored. In JSON it is an escape sequence and no NUL. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** Moves a locked session by what happened, ends it where none of its runs is left, and what hangs on its end. */
export async function settle(
  recorder: Recorder,
  session: SessionRecord,
  events: readonly SessionEvent[],
): Promise<Effects> {
  const { data, now } = recorder;
  const before = session.status as SessionStatus;
  let status = events.reduce(moved, before);
  if (!isTerminal(status) && (await data.runs.ofSession(session.id)).length === 0) {
    status = moved(status, { type: session.cancelled_at === null ? 'finished' : 'cancelled' });
  }
  if (status === before) return NO_EFFECTS;
  const ending = isTerminal(status) ? { stopped_at: now, ends_by: null, plan: null } : {};
  await data.sessions.move(session.id, before, { status, ...ending });
  if (!isTerminal(status)) return NO_EFFECTS;
  const ended: SessionRecord = { ...session, status, ...ending };
  await data.sessions.announceEnd(session.id);
  const claimableAt = await releaseNext(recorder, ended);
  return {
    ...NO_EFFECTS,
    ended: [{ id: session.id, status }],
    testsEnded: await afterEnd(recorder, ended),
    claimableAt,
  };
}

const CHECK_STATUS = { PASSED: 'passing', DEGRADED: 'degraded', FAILED: 'failing' } as const;

/** What hangs on a session's end: the check's state and alerts, or the test session it is a part of. */
async function afterEnd(recorder: Recorder, session: SessionRecord): Promise<string[]> {
  const { data, tx, onEnded, now } = recorder;
  if (session.test_session_id === null) {
    const status = CHECK_STATUS[session.status as keyof typeof CHECK_STATUS];
    if (status !== undefined) await data.checks.setStatus(session.check_id, status);
    if (onEnded) await onEnded(tx, { session, results: await data.results.ofSessions([session.id]) });
    return [];
  }
  const test = await data.testSessions.lock(session.test_session_id);
  if (test === undefined || test.status !== 'RUNNING') return [];
  const members = await data.sessions.ofTest(test.id);
  const status = testStatusOf(members.map((member) => member.status as SessionStatus));
  if (status === 'RUNNING') return [];
  await data.testSessions.move(test.id, 'RUNNING', { status, stopped_at: now });
  await data.sessions.announceEnd(test.id);
  return [test.id];
}

/** Lets the next session of a batch go. Answers when its runs may be claimed; null where there is none. */
async function releaseNext({ data, now, limits }: Recorder, session: SessionRecord): Promise<number | null> {
  if (session.batch_id === null) return null;
  for (;;) {
    const next = await data.sessions.nextOfBatch(session.batch_id);
    if (next === undefined) return null;
    if (!(await data.runs.unhold(next.id, { not_before: now, claim_by: now + limits.claimMs }))) continue;
    const { retry } = JSON.parse(next.plan ?? '{"retry":null}') as Plan;
    const endsBy = deadlineOf(now, retry, limits.timeoutMs(next.check_type), limits);
    await data.sessions.move(next.id, next.status, { ends_by: endsBy });
    return now;
  }
}
