/** Turns ended sessions and due times into alerts, which are decided and enqueued in one transaction. */

import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { EndedSession } from '../../engine/sessions/transitions.ts';
import { findPauses, isSilenced, suppressesIncidents } from '../../maintenance/effects.ts';
import { loadWindows } from '../../maintenance/windows.ts';
import type { EndedSessionRecord } from '../../store/alerts.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { Store, StoreTransaction } from '../../store/index.ts';
import { openIncident, resolveIncident } from '../incidents.ts';
import type { RunFacts } from './alert-facts.ts';
import { type AlertSubject, isActive, isMuted, loadSubject } from './alert-settings.ts';
import { startCertificateAlerts } from './certificate-alerts.ts';
import {
  type EscalationState,
  escalate,
  evaluateVerdict,
  HEALTHY,
  isHealthy,
  type RunOutcomeFlags,
  type Silence,
} from './escalation.ts';
import { escalateIncident, type IncidentState, markHeld, NO_INCIDENT } from './incident-escalation.ts';
import { sendToChannels } from './send-to-channels.ts';

/** Returns the URL of a result; undefined: none. */
export type ResultLink = (run: RunFacts) => string | undefined;

interface StoredState {
  readonly escalation: EscalationState;
  /** The last counted run, which reminders report. */
  readonly run: RunFacts | null;
  /** Missing in states of versions whose incidents escalated together with alerts. */
  readonly incident?: IncidentState;
}

const INITIAL_STATE = JSON.stringify({
  escalation: HEALTHY,
  run: null,
  incident: NO_INCIDENT,
} satisfies StoredState);
const MAX_ERROR_LENGTH = 4000;

interface AlertContext {
  readonly buildResultLink: ResultLink;
  /** Called after the commit with the next due time. */
  readonly onDue: (instant: number) => void;
}

type Result = Awaited<ReturnType<EndedSession['results']>>[number];

const toOutcomeFlags = (result: EndedSessionRecord['finals'][number]): RunOutcomeFlags => ({
  hasFailures: result.has_failures === 1,
  hasErrors: result.has_errors === 1,
  isDegraded: result.is_degraded === 1,
  isCancelled: result.is_cancelled === 1,
});

const countLocations = ({ locations }: Pick<EndedSessionRecord, 'locations'>): number =>
  (JSON.parse(locations) as string[]).length;

/** Sends the alerts of ended sessions in order. Ignores test sessions and cancelled ones. */
async function sendAlerts(
  tx: StoreTransaction,
  ended: readonly EndedSession[],
  context: AlertContext,
): Promise<void> {
  const relevant = ended.filter(
    ({ session }) => session.test_session_id === null && session.status !== 'CANCELLED',
  );
  // One query covers the usual case: a passed session of a check without alert state needs no work.
  const remembered = new Set(await tx.alertStates.withState(relevant.map(({ session }) => session.check_id)));
  for (const one of relevant) {
    const { check_id: checkId } = one.session;
    if (one.session.status === 'PASSED' && !remembered.has(checkId)) continue;
    await sendAlertsForSession(tx, one, context);
    remembered.add(checkId);
  }
}

async function sendAlertsForSession(
  tx: StoreTransaction,
  ended: EndedSession,
  context: AlertContext,
): Promise<void> {
  const { session } = ended;
  const { check_id: checkId, account_id: accountId } = session;
  const subject = await loadSubject(tx, accountId, checkId);
  if (subject === undefined) return;
  const finals = (await ended.results()).filter(({ result_type }) => result_type === 'FINAL');
  const verdict = evaluateVerdict(
    finals.map(toOutcomeFlags),
    countLocations(session),
    subject.settings.parallel,
  );
  if (verdict === undefined || (await isOutdated(tx, ended, subject))) return;
  const now = tx.clock.now();
  const reported =
    finals.find(({ has_failures }) => verdict === 'failed' && has_failures === 1) ??
    finals.find(({ is_degraded }) => verdict === 'degraded' && is_degraded === 1) ??
    finals[0];
  const run = reported === undefined ? null : toRunFacts(reported);
  const isInWindow = await isSilenced(tx, accountId, subject, now, session.started_at);
  const silence = isInWindow ? 'window' : isMuted(subject) ? 'muted' : 'none';
  const event = { type: 'run', verdict, at: now, startedAt: session.started_at } as const;
  const silences = () => ({ alerts: silence, incident: 'none' }) as const;
  await advance(tx, subject, event, silences, isInWindow ? null : run, context);
}

/** Returns whether a session that started later already has a verdict; then this one is outdated. */
async function isOutdated(
  tx: StoreTransaction,
  { session, following = [] }: EndedSession,
  { settings }: AlertSubject,
): Promise<boolean> {
  const newer = await tx.alertStates.newer(session.check_id, session.started_at, following);
  return newer.some(
    (one) =>
      evaluateVerdict(one.finals.map(toOutcomeFlags), countLocations(one), settings.parallel) !== undefined,
  );
}

/** Sends alerts of a due time: a reminder, or an escalation by time. */
async function sendDueAlerts(
  tx: StoreTransaction,
  { checkId, accountId }: { readonly checkId: string; readonly accountId: string },
  context: AlertContext,
): Promise<void> {
  const subject = await loadSubject(tx, accountId, checkId);
  if (subject === undefined) return;
  const now = tx.clock.now();
  const silences = async ({ run, incident }: StoredState): Promise<Silences> => {
    if (!isActive(subject)) return { alerts: 'inactive', incident: 'inactive' };
    const windows = await loadWindows(tx, accountId);
    const wasPaused = findPauses(windows, subject, incident?.ranAt ?? now, now + 1).length > 0;
    // A window since the last run hides newer results: the check may no longer be failing.
    const isInWindow = await isSilenced(tx, accountId, subject, now, run?.startedAt);
    return {
      alerts: isMuted(subject) ? 'muted' : isInWindow ? 'window' : 'none',
      incident: wasPaused ? 'window' : 'none',
    };
  };
  await advance(tx, subject, { type: 'due', at: now }, silences, null, context);
}

interface Silences {
  readonly alerts: Silence;
  readonly incident: Parameters<typeof escalateIncident>[3];
}

async function advance(
  tx: StoreTransaction,
  subject: AlertSubject,
  event: Parameters<typeof escalateIncident>[1],
  silencesOf: (stored: StoredState) => Silences | Promise<Silences>,
  run: RunFacts | null,
  { buildResultLink, onDue }: AlertContext,
): Promise<void> {
  const { id: checkId, accountId } = subject.check;
  const { escalation } = subject.settings;
  const row = await tx.alertStates.lock({ checkId, accountId, state: INITIAL_STATE });
  const stored = JSON.parse(row.state) as StoredState;
  // Another service processed it meanwhile, or it was postponed.
  if (event.type === 'due' && (row.dueAt === null || row.dueAt > event.at)) return;
  const silences = await silencesOf(stored);
  const isAffected = ({ dueAt }: EscalationState) =>
    event.type === 'run' || (dueAt !== null && dueAt <= event.at);
  const { state, alerts } = isAffected(stored.escalation)
    ? escalate(stored.escalation, event, escalation, silences.alerts)
    : { state: stored.escalation, alerts: [] };
  const before = stored.incident ?? {
    escalation: stored.escalation,
    isHeld: false,
    ranAt: stored.run?.startedAt ?? null,
  };
  const { state: nextIncident, move } = isAffected(before.escalation)
    ? escalateIncident(before, event, escalation, silences.incident)
    : { state: before, move: undefined };
  const isHeld =
    move === 'open' && (await isIncidentSuppressed(tx, subject, event.at, nextIncident.ranAt ?? undefined));
  const incident = isHeld ? markHeld(nextIncident) : nextIncident;
  const lastRun = run ?? stored.run;
  if (isHealthy(state) && isHealthy(incident.escalation)) await tx.alertStates.delete(checkId);
  else {
    const next: StoredState = { escalation: state, run: lastRun, incident };
    const dueAt = earliest(state.dueAt, incident.escalation.dueAt);
    await tx.alertStates.write({ checkId, state: JSON.stringify(next), dueAt });
    if (dueAt !== null) tx.onCommit(() => onDue(dueAt));
  }
  for (const alert of alerts) {
    const link = lastRun === null ? undefined : buildResultLink(lastRun);
    if (!alert.isSilent) await sendToChannels(tx, subject, alert, lastRun, link ?? null);
  }
  if (isHeld) return;
  const at = event.at;
  const trigger = subject.check.body.triggerIncident;
  if (move === 'resolve') await resolveIncident(tx, { accountId, checkId, at });
  else if (move === 'open' && trigger) await openIncident(tx, { accountId, checkId, trigger, at });
}

function toRunFacts(result: Result): RunFacts {
  const [error = ''] = JSON.parse(result.errors) as string[];
  return {
    sessionId: result.session_id,
    resultId: result.id,
    location: result.location,
    error: error.slice(0, MAX_ERROR_LENGTH),
    responseTime: result.response_time_us === null ? null : result.response_time_us / 1000,
    startedAt: result.started_at,
  };
}

/** Returns whether maintenance has suppressed the check's incident at any time since the failed run started. */
async function isIncidentSuppressed(
  tx: StoreTransaction,
  { check, group }: AlertSubject,
  at: number,
  since: number | undefined,
): Promise<boolean> {
  const serviceId = check.body.triggerIncident?.serviceId;
  if (serviceId === undefined) return false;
  return suppressesIncidents(tx, check.accountId, { check, group, serviceId }, at, since);
}

interface AlertsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  readonly buildResultLink: ResultLink;
}

const BATCH_SIZE = 100;

/** Sends alerts when sessions end, and at due times without a session. */
export function createAlerts({ store, clock, onError, buildResultLink }: AlertsOptions) {
  let scheduler: Scheduler | undefined;
  let certificates: ReturnType<typeof startCertificateAlerts> | undefined;
  const context: AlertContext = { buildResultLink, onDue: (instant) => scheduler?.dueAt(instant) };

  async function step(): Promise<boolean> {
    const due = await store.alertStates.due(clock.now(), BATCH_SIZE);
    for (const one of due) await store.transaction((tx) => sendDueAlerts(tx, one, context));
    return due.length === BATCH_SIZE;
  }

  return {
    /** Handles ended sessions in their transaction. */
    onEnded: (tx: StoreTransaction, ended: readonly EndedSession[]) => sendAlerts(tx, ended, context),
    /** Starts waiting for due alerts. Processes overdue ones at once. */
    start(): void {
      scheduler ??= startScheduler({ clock, step, onError, nextInstant: store.alertStates.nextInstant });
      certificates ??= startCertificateAlerts(store, clock, onError);
    },
    async stop(): Promise<void> {
      await Promise.all([scheduler?.stop(), certificates?.stop()]);
      scheduler = undefined;
      certificates = undefined;
    },
  };
}
