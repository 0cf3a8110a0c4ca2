/** Advances the alerts and the incident of a check by one event, and enqueues what follows, in the caller's transaction. */
import { suppressesIncidents } from '../../maintenance/effects.ts';
import { earliest } from '../../store/engine/runs.ts';
import type { StoreTransaction } from '../../store/index.ts';
import { isRecovery, type RunFacts } from '../facts/alert-facts.ts';
import { openIncident, resolveIncident } from '../incidents.ts';
import { advanceRules } from './advance-rules.ts';
import type { AlertSubject } from './alert-settings.ts';
import {
  advance,
  type Circumstances,
  type DependentEvent,
  type DependentState,
  evaluateDependencies,
  isAtRest,
  NOT_HELD,
} from './dependency-hold.ts';
import { loadDependencyRuns } from './dependency-runs.ts';
import { type EscalationState, HEALTHY, isHealthy, type Silence } from './escalation.ts';
import { escalateIncident, type IncidentState, markHeld, NO_INCIDENT } from './incident-escalation.ts';
import { loadReasons } from './load-reasons.ts';
import type { BundleContext } from './send-bundle.ts';
import { sendToChannels } from './send-to-channels.ts';

/** Returns the URL of a result; undefined: none. */
export type ResultLink = (run: RunFacts) => string | undefined;

export interface StoredState extends Partial<Omit<DependentState<RunFacts | null>, 'escalation'>> {
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

export interface AlertContext extends BundleContext {
  readonly buildResultLink: ResultLink;
}

export interface Silences {
  readonly alerts: Silence;
  readonly incident: Parameters<typeof escalateIncident>[3];
}

/** A run has its start, in ms since the epoch. */
export type CheckEvent = DependentEvent & { readonly startedAt?: number };

interface CheckAdvance {
  readonly event: CheckEvent;
  readonly silencesOf: (stored: StoredState) => Silences | Promise<Silences>;
  /** The run of the event if it counts, otherwise null. */
  readonly run: RunFacts | null;
}

export async function advanceCheck(
  tx: StoreTransaction,
  subject: AlertSubject,
  { event, silencesOf, run }: CheckAdvance,
  context: AlertContext,
): Promise<void> {
  const { buildResultLink, onDue } = context;
  const { id: checkId, accountId } = subject.check;
  const { escalation } = subject.settings;
  const row = await tx.alertStates.lock({ checkId, accountId, state: INITIAL_STATE });
  const stored = JSON.parse(row.state) as StoredState;
  // Another service processed it meanwhile, or it was postponed.
  if (event.type === 'due' && (row.dueAt === null || row.dueAt > event.at)) return;
  if (event.type === 'settle' && !stored.hold) return;
  const silences = await silencesOf(stored);
  const lastRun = run ?? stored.run;
  const { state, alerts } = advance({ ...NOT_HELD, ...stored }, event, {
    escalation,
    silence: silences.alerts,
    run: lastRun,
    startedAt: event.startedAt ?? stored.incident?.ranAt ?? stored.run?.startedAt ?? event.at,
    evaluate: await evaluatorFor(tx, subject, stored, event),
  });
  const before = stored.incident ?? {
    escalation: stored.escalation,
    isHeld: false,
    ranAt: stored.run?.startedAt ?? null,
  };
  const { state: nextIncident, move } = isDue(before.escalation, event)
    ? escalateIncident(before, event, escalation, silences.incident)
    : { state: before, move: undefined };
  const isHeld =
    move === 'open' && (await isIncidentSuppressed(tx, subject, event.at, nextIncident.ranAt ?? undefined));
  const ruleRetry = await advanceRules(tx, subject, {
    ...{ before, after: nextIncident, move, event, silence: silences.incident },
  });
  const incident = { ...(isHeld ? markHeld(nextIncident) : nextIncident), ruleRetry };
  if (isAtRest(state) && isHealthy(incident.escalation)) await tx.alertStates.delete(checkId);
  else {
    const next: StoredState = { ...state, run: lastRun, incident };
    const heldUntil = state.hold?.until ?? null;
    const { escalation: own } = incident;
    const dueAt = earliest(state.escalation.dueAt, own.dueAt, heldUntil, ruleRetry?.at ?? null);
    await tx.alertStates.write({ checkId, state: JSON.stringify(next), dueAt, heldUntil });
    if (dueAt !== null) tx.onCommit(() => onDue(dueAt));
  }
  for (const alert of alerts) {
    const link = alert.run === null ? undefined : buildResultLink(alert.run);
    if (alert.isSilent && !isRecovery(alert.kind)) continue;
    const reasons = await loadReasons(tx, accountId, checkId, alert.run, !isRecovery(alert.kind));
    await sendToChannels(tx, subject, alert, { run: alert.run, link: link ?? null, ...reasons }, context);
  }
  if (isHeld) return;
  const at = event.at;
  const trigger = subject.check.body.triggerIncident;
  if (move === 'resolve') await resolveIncident(tx, { accountId, checkId, at });
  else if (move === 'open' && trigger) await openIncident(tx, { accountId, checkId, trigger, at });
}

const isDue = (
  { dueAt }: EscalationState,
  event: CheckEvent,
): event is Exclude<CheckEvent, { readonly type: 'settle' }> =>
  event.type === 'run' || (event.type === 'due' && dueAt !== null && dueAt <= event.at);

/** Returns the function that evaluates the dependencies. Reads their runs only if the event may cause an alert. */
async function evaluatorFor(
  tx: StoreTransaction,
  subject: AlertSubject,
  { hold }: StoredState,
  event: CheckEvent,
): Promise<Circumstances<unknown>['evaluate']> {
  const isGood = event.type === 'run' && event.verdict === 'passed' && !hold;
  const histories = isGood ? [] : await loadDependencyRuns(tx, subject, event.at);
  return (failure) => evaluateDependencies(histories, failure);
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
