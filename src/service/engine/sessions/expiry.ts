/** Ends runs without a report: unclaimed, lost, cancelled or overdue. */
import { EMPTY_OUTCOME } from '../../../runners/execute.ts';
import type { Run } from '../../store/engine/runs.ts';
import type { SessionRecord } from '../../store/engine/sessions.ts';
import { insertResults } from './record-reports.ts';
import { PUBLIC_POOL } from './settings.ts';
import { isTerminal, type SessionEvent, type SessionStatus } from './states.ts';
import {
  applyTransitions,
  type ChangeContext,
  combineEffects,
  type Effects,
  NO_EFFECTS,
} from './transitions.ts';

/** Maximum number of sessions or runs that one call of `expireOverdue` expires of each kind. */
export const EXPIRY_BATCH_SIZE = 100;

/** Ends overdue sessions and runs, a batch of each kind. */
export async function expireOverdue(context: ChangeContext): Promise<Effects> {
  const { data, now } = context;
  const effects: Effects[] = [];
  for (const session of await data.sessions.overdue(now, EXPIRY_BATCH_SIZE)) {
    effects.push(await timeOut(context, session.id));
  }
  for (const run of await data.runs.unclaimed(now, EXPIRY_BATCH_SIZE))
    effects.push(await dropUnclaimed(context, run));
  for (const run of await data.runs.expired(now, EXPIRY_BATCH_SIZE))
    effects.push(await recoverLapsed(context, run));
  return combineEffects(effects);
}

/**
 * Cancels a session. Waiting runs end now, running ones when they stop, or now if `atOnce` is set. Returns the runs
 * to stop. Does nothing if the session has ended.
 */
export async function cancelSession(
  context: ChangeContext,
  id: string,
  { atOnce = false } = {},
): Promise<{ readonly effects: Effects; readonly running: readonly number[] }> {
  const { data, now } = context;
  const [session] = await data.sessions.lock([id]);
  if (session === undefined || isTerminal(session.status as SessionStatus))
    return { effects: NO_EFFECTS, running: [] };
  await data.sessions.requestCancel(id, now);
  const cancelling = { ...session, cancelled_at: session.cancelled_at ?? now };
  const runs = await data.runs.ofSession(id);
  const waiting = runs.filter(({ state }) => atOnce || state !== 'RUNNING');
  for (const run of waiting) await conclude(context, cancelling, run, 'cancelled');
  return {
    effects: await applyTransitions(context, [
      { session: cancelling, events: [], wasHeld: runs.some(isHeld) },
    ]),
    running: runs.filter(({ state }) => state === 'RUNNING').map((run) => run.id),
  };
}

const isHeld = ({ state }: Run): boolean => state === 'HELD';

/** Times out a session after its deadline, and ends its open runs. */
async function timeOut(context: ChangeContext, id: string): Promise<Effects> {
  const { data, now } = context;
  const [session] = await data.sessions.lock([id]);
  if (session === undefined || session.ends_by === null || session.ends_by > now) return NO_EFFECTS;
  const reason = `the deadline of the session (${new Date(session.ends_by).toISOString()}) passed before this run had a result`;
  const isCancelling = session.cancelled_at !== null;
  const runs = await data.runs.ofSession(id);
  for (const run of runs) await conclude(context, session, run, reason);
  const settled = await applyTransitions(context, [
    { session, events: [{ type: isCancelling ? 'cancelled' : 'timed-out' }], wasHeld: runs.some(isHeld) },
  ]);
  return { ...settled, attempts: runs.length, errors: isCancelling ? 0 : runs.length };
}

/** Ends a run that was not claimed in time. */
async function dropUnclaimed(context: ChangeContext, run: Run): Promise<Effects> {
  const minutes = Math.round(context.limits.claimMs / 60_000);
  return endWithError(context, run, ({ check_type: type }) => {
    const who = run.pool.startsWith('private/')
      ? `no agent of the private location ${run.location} that runs ${type} checks`
      : 'no worker';
    return `${who} claimed this run within ${minutes} minutes, so it was dropped`;
  });
}

/** Maximum number of times that a run is started again: the run itself may have ended the service or agent. */
const MAX_RESTARTS = 2;

/** Recovers a run whose worker is gone: makes it claimable again if it may start again in time, else ends it with an error. */
async function recoverLapsed(context: ChangeContext, run: Run): Promise<Effects> {
  const { data, now } = context;
  const [session] = await data.sessions.lock([run.session_id]);
  const claimBy = session === undefined ? now : claimableUntil(context, session, run);
  const mayRestart = run.losses < MAX_RESTARTS;
  if (session !== undefined && session.cancelled_at === null && claimBy > now && mayRestart) {
    const isBack = await data.runs.requeue(run, claimBy);
    return isBack ? { ...NO_EFFECTS, claimableAt: now, pools: [run.pool] } : NO_EFFECTS;
  }
  return endWithError(
    context,
    run,
    mayRestart
      ? 'the service or agent stopped during this run, and there is no time left to repeat it'
      : `the service or agent stopped during this run ${MAX_RESTARTS + 1} times, so it is not repeated: the check may be the cause`,
  );
}

/**
 * Returns until when a lost run may be claimed again. An agent's death is noticed late, so other agents get the full
 * claim time if the run can still end before its session.
 */
function claimableUntil({ now, limits }: ChangeContext, session: SessionRecord, run: Run): number {
  if (run.pool === PUBLIC_POOL || session.ends_by === null) return run.claim_by;
  return Math.max(run.claim_by, Math.min(now + limits.claimMs, session.ends_by - run.timeout_ms));
}

/** Ends a run with a monitor error, or as cancelled if its session is. */
async function endWithError(
  context: ChangeContext,
  run: Run,
  why: string | ((session: SessionRecord) => string),
): Promise<Effects> {
  const [session] = await context.data.sessions.lock([run.session_id]);
  if (session === undefined) return NO_EFFECTS;
  const isCancelling = session.cancelled_at !== null;
  const reason = typeof why === 'string' ? why : why(session);
  if (!(await conclude(context, session, run, reason))) return NO_EFFECTS;
  const events: SessionEvent[] = isCancelling ? [] : [{ type: 'reported', final: true, verdict: 'failed' }];
  const settled = await applyTransitions(context, [{ session, events }]);
  return { ...settled, attempts: 1, errors: isCancelling ? 0 : 1 };
}

/**
 * Replaces an open run by a final result: cancelled if its session is, else a monitor error with the reason. Returns
 * false if the run has changed meanwhile.
 */
async function conclude(
  context: ChangeContext,
  session: SessionRecord,
  run: Run,
  reason: string,
): Promise<boolean> {
  const { data, now } = context;
  if (!(await data.runs.remove(run))) return false;
  const isCancelled = session.cancelled_at !== null;
  const report = {
    ...EMPTY_OUTCOME,
    isCancelled,
    hasErrors: !isCancelled,
    errors: isCancelled ? [] : [`${reason}. This says nothing about the target.`],
    startedAt: run.claimed_at ?? Math.min(run.not_before, now),
    stoppedAt: now,
  };
  await insertResults(context, [{ session, run, report, type: 'FINAL', aborted: true }]);
  return true;
}
