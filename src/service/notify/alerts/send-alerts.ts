/** Turns the ends of sessions, and instants that were waited for, into alerts: decided and written in one transaction. */

import type { EndedSession } from '../../engine/sessions/record.ts';
import { isSilenced, pausesBetween, windowsOf } from '../../maintenance/index.ts';
import type { EndedSessionRecord } from '../../store/alert-states.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { type EscalationState, escalate, isWell, type Silence, WELL } from './escalation.ts';
import type { RunFacts } from './facts.ts';
import { escalateIncident, heldBack, type IncidentState, NO_INCIDENT } from './incident-course.ts';
import { isIncidentHeld, moveIncident, sendToChannels } from './publishing.ts';
import { isActive, isMuted, type Subject, subjectOf } from './subject.ts';
import { type Finding, verdictOf } from './verdict.ts';

/** Where a person reads a result; undefined: there is no such place. */
export type ResultLink = (run: RunFacts) => string | undefined;

/** What is kept of a check's alerts. */
interface Kept {
  readonly escalation: EscalationState;
  /** The last run that counted: what reminders tell of. */
  readonly run: RunFacts | null;
  /** Left out by versions whose incidents escalated with their alerts. */
  readonly incident?: IncidentState;
}

const FRESH = JSON.stringify({ escalation: WELL, run: null, incident: NO_INCIDENT } satisfies Kept);
const LONGEST_ERROR = 4000;

export interface Alerting {
  readonly link: ResultLink;
  /** After the commit: something is due then. */
  readonly onDue: (instant: number) => void;
}

type Result = Awaited<ReturnType<EndedSession['results']>>[number];

const findingOf = (result: EndedSessionRecord['finals'][number]): Finding => ({
  hasFailures: result.has_failures === 1,
  hasErrors: result.has_errors === 1,
  isDegraded: result.is_degraded === 1,
  isCancelled: result.is_cancelled === 1,
});

const finalsOf = (results: readonly Result[]): Result[] =>
  results.filter(({ result_type }) => result_type === 'FINAL');
/** How many places a session runs from. */
const placesOf = ({ locations }: Pick<EndedSessionRecord, 'locations'>): number =>
  (JSON.parse(locations) as string[]).length;

/**
 * What sessions' ends lead to, one after the other. A session of a test leads to nothing, and neither does one that was
 * cancelled.
 */
export async function alertOnEnds(
  tx: StoreTransaction,
  ended: readonly EndedSession[],
  alerting: Alerting,
): Promise<void> {
  const own = ended.filter(
    ({ session }) => session.test_session_id === null && session.status !== 'CANCELLED',
  );
  // The usual case costs one question for all of them: all is well, and was. Of what passed no result failed.
  const remembered = new Set(await tx.alertStates.withState(own.map(({ session }) => session.check_id)));
  for (const one of own) {
    const { check_id: checkId } = one.session;
    if (one.session.status === 'PASSED' && !remembered.has(checkId)) continue;
    await alertOnEnd(tx, one, alerting);
    remembered.add(checkId);
  }
}

async function alertOnEnd(tx: StoreTransaction, ended: EndedSession, alerting: Alerting): Promise<void> {
  const { session } = ended;
  const { check_id: checkId, account_id: accountId } = session;
  const known = await subjectOf(tx, accountId, checkId);
  if (known === undefined) return;
  const finals = finalsOf(await ended.results());
  const verdict = verdictOf(finals.map(findingOf), placesOf(session), known.settings.parallel);
  if (verdict === undefined || (await isOutdated(tx, ended, known))) return;
  const now = tx.clock.now();
  const told =
    finals.find(({ has_failures }) => verdict === 'failed' && has_failures === 1) ??
    finals.find(({ is_degraded }) => verdict === 'degraded' && is_degraded === 1) ??
    finals[0];
  const run = told === undefined ? null : runOf(told);
  const isInWindow = await isSilenced(tx, accountId, known, now, session.started_at);
  const silence = isInWindow ? 'window' : isMuted(known) ? 'muted' : 'none';
  const event = { type: 'run', verdict, at: now, startedAt: session.started_at } as const;
  await advance(
    tx,
    known,
    event,
    () => ({ alerts: silence, incident: 'none' }),
    isInWindow ? null : run,
    alerting,
  );
}

/** Whether a session that started later has had its say: then this one comes too late. One that says nothing has none. */
async function isOutdated(
  tx: StoreTransaction,
  { session, following = [] }: EndedSession,
  { settings }: Subject,
): Promise<boolean> {
  const newer = await tx.alertStates.newer(session.check_id, session.started_at, following);
  return newer.some(
    (one) => verdictOf(one.finals.map(findingOf), placesOf(one), settings.parallel) !== undefined,
  );
}

/** What an instant leads to that was waited for: a reminder, or an escalation by time. */
export async function alertOnTime(
  tx: StoreTransaction,
  { checkId, accountId }: { readonly checkId: string; readonly accountId: string },
  alerting: Alerting,
): Promise<void> {
  const known = await subjectOf(tx, accountId, checkId);
  if (known === undefined) return;
  const now = tx.clock.now();
  const silences = async ({ run, incident }: Kept): Promise<Silences> => {
    if (!isActive(known)) return { alerts: 'inactive', incident: 'inactive' };
    const windows = await windowsOf(tx, accountId);
    const wasPaused = pausesBetween(windows, known, incident?.ranAt ?? now, now + 1).length > 0;
    // What was found within a window is not known: since one was open nobody can say that it still fails.
    const isInWindow = await isSilenced(tx, accountId, known, now, run?.startedAt);
    return {
      alerts: isMuted(known) ? 'muted' : isInWindow ? 'window' : 'none',
      incident: wasPaused ? 'window' : 'none',
    };
  };
  await advance(tx, known, { type: 'due', at: now }, silences, null, alerting);
}

/** What holds back alerts, and what keeps the incident from escalating by time. */
interface Silences {
  readonly alerts: Silence;
  readonly incident: Parameters<typeof escalateIncident>[3];
}

async function advance(
  tx: StoreTransaction,
  subject: Subject,
  event: Parameters<typeof escalateIncident>[1],
  silencesOf: (kept: Kept) => Silences | Promise<Silences>,
  run: RunFacts | null,
  { link, onDue }: Alerting,
): Promise<void> {
  const { id: checkId, accountId } = subject.check;
  const { escalation } = subject.settings;
  const row = await tx.alertStates.lock({ checkId, accountId, state: FRESH });
  const kept = JSON.parse(row.state) as Kept;
  // Another has done it meanwhile, or it was put off.
  if (event.type === 'due' && (row.dueAt === null || row.dueAt > event.at)) return;
  const silences = await silencesOf(kept);
  const concerns = ({ dueAt }: EscalationState) =>
    event.type === 'run' || (dueAt !== null && dueAt <= event.at);
  const { state, alerts } = concerns(kept.escalation)
    ? escalate(kept.escalation, event, escalation, silences.alerts)
    : { state: kept.escalation, alerts: [] };
  const before = kept.incident ?? {
    ...{ escalation: kept.escalation, isHeld: false, ranAt: kept.run?.startedAt ?? null },
  };
  const { state: wanted, move } = concerns(before.escalation)
    ? escalateIncident(before, event, escalation, silences.incident)
    : { state: before, move: undefined };
  const isHeld = move === 'open' && (await isIncidentHeld(tx, subject, event.at, wanted.ranAt ?? undefined));
  const incident = isHeld ? heldBack(wanted) : wanted;
  const lastRun = run ?? kept.run;
  if (isWell(state) && isWell(incident.escalation)) await tx.alertStates.delete(checkId);
  else {
    const next: Kept = { escalation: state, run: lastRun, incident };
    const dueAt = earliest(state.dueAt, incident.escalation.dueAt);
    await tx.alertStates.write({ checkId, state: JSON.stringify(next), dueAt });
    if (dueAt !== null) tx.onCommit(() => onDue(dueAt));
  }
  for (const alert of alerts) {
    const address = lastRun === null ? undefined : link(lastRun);
    if (!alert.isSilent) await sendToChannels(tx, subject, alert, lastRun, address ?? null);
  }
  if (move !== undefined && !isHeld) await moveIncident(tx, subject, move, event.at);
}

function runOf(result: Result): RunFacts {
  const [error = ''] = JSON.parse(result.errors) as string[];
  return {
    sessionId: result.session_id,
    resultId: result.id,
    location: result.location,
    error: error.slice(0, LONGEST_ERROR),
    responseTime: result.response_time_us === null ? null : result.response_time_us / 1000,
    startedAt: result.started_at,
  };
}
