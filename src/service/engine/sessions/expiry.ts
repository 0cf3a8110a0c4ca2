/** Concludes what will get no report: runs that nobody claimed, whose worker died, that were cancelled or came too late. */
import type { Report } from '../../../worker/port.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import { insertResults } from './record.ts';
import { type Effects, NO_EFFECTS, type Recorder, together } from './recorder.ts';
import { PUBLIC_POOL } from './settings.ts';
import { isTerminal, type SessionEvent, type SessionStatus } from './states.ts';
import { settle } from './transitions.ts';

const AT_ONCE = 100;

/** Concludes every run and session whose time is over at `recorder.now`, at most so many at once. */
export async function concludeOverdue(recorder: Recorder): Promise<Effects> {
  const { data, now } = recorder;
  const effects: Effects[] = [];
  for (const session of await data.sessions.overdue(now, AT_ONCE)) {
    effects.push(await timeOut(recorder, session.id));
  }
  for (const run of await data.runs.unclaimed(now, AT_ONCE)) effects.push(await drop(recorder, run));
  for (const run of await data.runs.expired(now, AT_ONCE)) effects.push(await resume(recorder, run));
  return together(effects);
}

/**
 * Cancels a session: what waits is cancelled now, what runs once it has stopped, or now as well where `atOnce`. Answers
 * the runs to be stopped. A session that has ended is left as it is.
 */
export async function cancel(
  recorder: Recorder,
  id: string,
  { atOnce = false } = {},
): Promise<{ readonly effects: Effects; readonly running: readonly number[] }> {
  const { data, now } = recorder;
  const [session] = await data.sessions.lock([id]);
  if (session === undefined || isTerminal(session.status as SessionStatus))
    return { effects: NO_EFFECTS, running: [] };
  await data.sessions.requestCancel(id, now);
  const asked = { ...session, cancelled_at: session.cancelled_at ?? now };
  const runs = await data.runs.ofSession(id);
  const waiting = runs.filter(({ state }) => atOnce || state !== 'RUNNING');
  for (const run of waiting) await conclude(recorder, asked, run, cancelled(run, now));
  return {
    effects: await settle(recorder, [{ session: asked, events: [], wasHeld: runs.some(isHeld) }]),
    running: runs.filter(({ state }) => state === 'RUNNING').map((run) => run.id),
  };
}

const isHeld = ({ state }: Run): boolean => state === 'HELD';

/** A session whose deadline has passed: what is still open is recorded as it is, and the session has timed out. */
async function timeOut(recorder: Recorder, id: string): Promise<Effects> {
  const { data, now } = recorder;
  const [session] = await data.sessions.lock([id]);
  if (session === undefined || session.ends_by === null || session.ends_by > now) return NO_EFFECTS;
  const reason = `the deadline of the session (${new Date(session.ends_by).toISOString()}) passed before this run had a result`;
  const asked = session.cancelled_at !== null;
  const runs = await data.runs.ofSession(id);
  for (const run of runs) {
    await conclude(recorder, session, run, asked ? cancelled(run, now) : fault(run, now, reason));
  }
  const settled = await settle(recorder, [
    { session, events: [{ type: asked ? 'cancelled' : 'timed-out' }], wasHeld: runs.some(isHeld) },
  ]);
  return { ...settled, attempts: runs.length, errors: asked ? 0 : runs.length };
}

/** A run that nobody claimed in time. */
async function drop(recorder: Recorder, run: Run): Promise<Effects> {
  const minutes = Math.round(recorder.limits.claimMs / 60_000);
  return end(recorder, run, ({ check_type: type }) => {
    const who = run.pool.startsWith('private/')
      ? `no agent of the private location ${run.location} that runs ${type} checks`
      : 'no worker';
    return `${who} claimed this run within ${minutes} minutes, so it was dropped`;
  });
}

/** A run whose worker has not been heard of: claimable again where there is time, else an error that says so. */
async function resume(recorder: Recorder, run: Run): Promise<Effects> {
  const { data, now } = recorder;
  const [session] = await data.sessions.lock([run.session_id]);
  const claimBy = session === undefined ? now : claimableUntil(recorder, session, run);
  if (session !== undefined && session.cancelled_at === null && claimBy > now) {
    const isBack = await data.runs.requeue(run, claimBy);
    return isBack ? { ...NO_EFFECTS, claimableAt: now, pools: [run.pool] } : NO_EFFECTS;
  }
  return end(
    recorder,
    run,
    'the service or agent stopped during this run, and there is no time left to repeat it',
  );
}

/**
 * Until when a run whose worker is gone may be claimed again. An agent is known to have died so late that the run would be dropped
 * as if nobody had claimed it: others have their time to claim it as well, while it can be over before its session must be.
 */
function claimableUntil({ now, limits }: Recorder, session: SessionRecord, run: Run): number {
  if (run.pool === PUBLIC_POOL || session.ends_by === null) return run.claim_by;
  return Math.max(run.claim_by, Math.min(now + limits.claimMs, session.ends_by - run.timeout_ms));
}

/** Ends one run with an error of the monitor, or as cancelled where its session was. */
async function end(
  recorder: Recorder,
  run: Run,
  why: string | ((session: SessionRecord) => string),
): Promise<Effects> {
  const { data, now } = recorder;
  const [session] = await data.sessions.lock([run.session_id]);
  if (session === undefined) return NO_EFFECTS;
  const asked = session.cancelled_at !== null;
  const reason = typeof why === 'string' ? why : why(session);
  if (!(await conclude(recorder, session, run, asked ? cancelled(run, now) : fault(run, now, reason))))
    return NO_EFFECTS;
  const events: SessionEvent[] = asked ? [] : [{ type: 'reported', final: true, verdict: 'failed' }];
  const settled = await settle(recorder, [{ session, events }]);
  return { ...settled, attempts: 1, errors: asked ? 0 : 1 };
}

/** Puts a final result in the place of an open run; false where the run has moved on. */
async function conclude(
  recorder: Recorder,
  session: SessionRecord,
  run: Run,
  report: Report,
): Promise<boolean> {
  if (!(await recorder.data.runs.remove(run))) return false;
  await insertResults(recorder, [{ session, run, report, type: 'FINAL', aborted: true }]);
  return true;
}

function cancelled(run: Run, now: number): Report {
  return { ...nothing(run, now), isCancelled: true };
}

function fault(run: Run, now: number, reason: string): Report {
  return {
    ...nothing(run, now),
    hasErrors: true,
    errors: [`${reason}. This says nothing about the target.`],
  };
}

function nothing(run: Run, now: number): Report {
  return {
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    overMaxResponseTime: false,
    isNetworkError: false,
    isCancelled: false,
    responseTime: null,
    errors: [],
    details: {},
    startedAt: run.claimed_at ?? Math.min(run.not_before, now),
    stoppedAt: now,
  };
}
