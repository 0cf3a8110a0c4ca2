/** Turns ended sessions and due times into alerts, which are decided and enqueued in one transaction. */

import type { Clock } from '../../../base/clock.ts';
import { type Scheduler, startScheduler } from '../../../base/scheduler.ts';
import type { EndedSession } from '../../engine/sessions/transitions.ts';
import { findPauses, isSilenced } from '../../maintenance/effects.ts';
import { loadWindows } from '../../maintenance/windows.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { Store, StoreTransaction } from '../../store/index.ts';
import type { PageLink, RunFacts } from '../facts/alert-facts.ts';
import {
  type AlertContext,
  advanceCheck,
  type ResultLink,
  type Silences,
  type StoredState,
} from './advance-check.ts';
import { type AlertSubject, isActive, isMuted, loadSubject } from './alert-settings.ts';
import { startCertificateAlerts } from './certificate-alerts.ts';
import { countLocations, toOutcomeFlags } from './dependency-runs.ts';
import { evaluateVerdict } from './escalation.ts';
import { startLocationAlerts } from './location-alerts.ts';
import { sendBundle, sendIfComplete } from './send-bundle.ts';

const MAX_ERROR_LENGTH = 4000;

type Result = Awaited<ReturnType<EndedSession['results']>>[number];

/** A check whose alerts are due. */
interface DueCheck {
  readonly checkId: string;
  readonly accountId: string;
}

/** Sends the alerts of ended sessions in order. Ignores test sessions and cancelled ones. */
async function sendAlerts(
  tx: StoreTransaction,
  ended: readonly EndedSession[],
  context: EndContext,
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
  const holders = await tx.checkDependencies.holders(relevant.map(({ session }) => session.check_id));
  if (holders.length > 0) tx.onCommit(() => context.onVerdict(holders));
  if (await tx.pendingAlerts.hasOpen()) tx.onCommit(context.onReport);
}

async function sendAlertsForSession(
  tx: StoreTransaction,
  ended: EndedSession,
  context: AlertContext,
): Promise<void> {
  const { session } = ended;
  const { check_id: checkId, account_id: accountId } = session;
  const subject = await loadSubject(tx, accountId, checkId);
  // A run that ends after the deactivation opens nothing, because no later one would resolve it.
  if (subject === undefined || !isActive(subject)) return;
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
  const silencesOf = () => ({ alerts: silence, incident: 'none' }) as const;
  await advanceCheck(tx, subject, { event, silencesOf, run: isInWindow ? null : run }, context);
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

/** Sends alerts of a due time (a reminder, or an escalation by time), or settles a held alert. */
async function sendDueAlerts(
  tx: StoreTransaction,
  { checkId, accountId }: DueCheck,
  type: 'due' | 'settle',
  context: AlertContext,
): Promise<void> {
  const subject = await loadSubject(tx, accountId, checkId);
  if (subject === undefined) return;
  const now = tx.clock.now();
  const silencesOf = async ({ run, incident }: StoredState): Promise<Silences> => {
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
  await advanceCheck(tx, subject, { event: { type, at: now }, silencesOf, run: null }, context);
}

/** Returns the HTTP status of a result; nothing if its check type has none, or without a response. */
function statusOf({ details }: Result): Pick<RunFacts, 'statusCode'> {
  const { response } = JSON.parse(details) as { readonly response?: { readonly status?: unknown } | null };
  return typeof response?.status === 'number' ? { statusCode: response.status } : {};
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
    ...statusOf(result),
  };
}

interface EndContext extends AlertContext {
  /** Called after the commit with the checks that hold an alert until a dependency has a verdict that it has now. */
  readonly onVerdict: (holders: readonly DueCheck[]) => void;
  /** Called after the commit if alerts wait for reports of other checks. */
  readonly onReport: () => void;
}

interface AlertsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  readonly buildResultLink: ResultLink;
  readonly buildPageLink: PageLink;
}

const BATCH_SIZE = 100;

/** Sends alerts when sessions end, and at due times without a session. */
export function createAlerts({ store, clock, onError, buildResultLink, buildPageLink }: AlertsOptions) {
  let scheduler: Scheduler | undefined;
  let searches: readonly { stop(): Promise<void> }[] = [];
  /** Checks to settle, by ID. A lost one is settled when its hold ends. */
  const settling = new Map<string, DueCheck>();
  /** Whether a check has reported since the bundles were last examined. */
  let hasReports = false;
  const context: EndContext = {
    buildResultLink,
    buildPageLink,
    onDue: (instant) => scheduler?.dueAt(instant),
    onVerdict(holders) {
      for (const holder of holders) settling.set(holder.checkId, holder);
      scheduler?.dueAt(clock.now());
    },
    onReport() {
      hasReports = true;
      scheduler?.dueAt(clock.now());
    },
  };

  /** Does the due work. Returns true if there may be more. */
  async function step(): Promise<boolean> {
    for (const [id, one] of settling) {
      settling.delete(id);
      await store.transaction((tx) => sendDueAlerts(tx, one, 'settle', context));
    }
    await sendBundles();
    const due = await store.alertStates.due(clock.now(), BATCH_SIZE);
    for (const one of due) await store.transaction((tx) => sendDueAlerts(tx, one, 'due', context));
    return due.length === BATCH_SIZE;
  }

  async function sendBundles(): Promise<void> {
    const examinesAll = hasReports;
    hasReports = false;
    for (const { dueAt, ...key } of await store.pendingAlerts.open(BATCH_SIZE)) {
      if (dueAt <= clock.now()) await store.transaction((tx) => sendBundle(tx, key, context));
      else if (examinesAll) await store.transaction((tx) => sendIfComplete(tx, key, context));
    }
  }

  const nextInstant = async () =>
    earliest(await store.alertStates.nextInstant(), await store.pendingAlerts.nextInstant());

  return {
    /** Sends what is due now. Returns true if there may be more. */
    processDue: step,
    /** Handles ended sessions in their transaction. */
    onEnded: (tx: StoreTransaction, ended: readonly EndedSession[]) => sendAlerts(tx, ended, context),
    /** Starts waiting for due alerts. Processes overdue ones at once. */
    start(): void {
      scheduler ??= startScheduler({ clock, step, onError, nextInstant });
      const search = { store, clock, onError, buildPageLink };
      if (searches.length === 0) searches = [startCertificateAlerts(search), startLocationAlerts(search)];
    },
    async stop(): Promise<void> {
      await Promise.all([scheduler?.stop(), ...searches.map((search) => search.stop())]);
      scheduler = undefined;
      searches = [];
    },
  };
}
