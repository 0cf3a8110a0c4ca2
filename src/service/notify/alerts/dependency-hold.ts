/**
 * Decides whether a failure is reported, or explained by a failing dependency. If that is unknown when an alert is due, the
 * alert is held until the dependencies have run, or for a limited time. Pure. Instants in ms.
 */
import {
  type Alert,
  type Escalation,
  type EscalationEvent,
  type EscalationState,
  escalate,
  isHealthy,
  type Silence,
} from './escalation.ts';

/** Longest time that an alert is held, in ms: a dependency that runs every minute starts and ends a run in it. */
export const HOLD_MS = 75_000;

/** `failing`: a dependency explains the failure. `good`: all of them have passed since. `unknown`: neither. */
export type DependencyVerdict = 'failing' | 'unknown' | 'good';

/** A verdict of a dependency. */
export interface PastRun {
  readonly isFailed: boolean;
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/**
 * Evaluates the runs of each dependency, newest start first. A dependency explains a failure if it was failing at any time
 * since `startedAt`, the start of the failed run. It is good if a run that started after `since`, when the failure was
 * known, did not fail: an earlier run may have passed just before the common cause. One without runs does not count.
 */
export function evaluateDependencies(
  histories: readonly (readonly PastRun[])[],
  { startedAt, since }: { readonly startedAt: number; readonly since: number },
): DependencyVerdict {
  const known = histories.filter((runs) => runs.length > 0);
  const wasFailing = known.some((runs) => {
    const previous = runs.find(({ stoppedAt }) => stoppedAt <= startedAt);
    return previous?.isFailed || runs.some((run) => run.isFailed && run.stoppedAt > startedAt);
  });
  if (wasFailing) return 'failing';
  return known.every((runs) => runs.some((run) => run.startedAt >= since)) ? 'good' : 'unknown';
}

/** An alert with the run that it reports. */
export interface AlertOfRun<Run> extends Alert {
  readonly run: Run;
}

interface Hold<Run> {
  /** When the failure was known. */
  readonly since: number;
  /** Start of the first run whose alert is held. */
  readonly startedAt: number;
  readonly until: number;
  /** The state and the alerts if no dependency explains the failure. */
  readonly reported: EscalationState;
  readonly alerts: readonly AlertOfRun<Run>[];
  /** The alerts if a dependency explains the failure: improvements of an earlier alert. */
  readonly explainedAlerts: readonly AlertOfRun<Run>[];
}

export interface DependentState<Run> {
  /** While an alert is held: the state if a dependency explains the failure. */
  readonly escalation: EscalationState;
  /** When the first bad run ended that no failing dependency explained; null: none. */
  readonly unexplainedSince: number | null;
  readonly hold: Hold<Run> | null;
}

export const NOT_HELD = { unexplainedSince: null, hold: null } as const;

/** `settle`: a dependency may have a new verdict. */
export type DependentEvent = EscalationEvent | { readonly type: 'settle'; readonly at: number };

export interface Circumstances<Run> {
  readonly escalation: Escalation;
  readonly silence: Silence;
  /** The run of the event, or else the last known one. */
  readonly run: Run;
  /** Start of that run. */
  readonly startedAt: number;
  readonly evaluate: (failure: { readonly startedAt: number; readonly since: number }) => DependencyVerdict;
}

export interface DependentStep<Run> {
  readonly state: DependentState<Run>;
  readonly alerts: readonly AlertOfRun<Run>[];
}

/** Applies an event to the state of a check with dependencies. Without any, `evaluate` always returns `good`. */
export const advance = <Run>(
  before: DependentState<Run>,
  event: DependentEvent,
  circumstances: Circumstances<Run>,
): DependentStep<Run> =>
  before.hold === null
    ? advanceFree(before, event, circumstances)
    : advanceHeld(before, before.hold, event, circumstances);

/** Returns whether the event changes the state. */
const isDue = ({ dueAt }: EscalationState, event: DependentEvent): event is EscalationEvent =>
  event.type === 'run' || (event.type === 'due' && dueAt !== null && dueAt <= event.at);

const DETERIORATIONS: ReadonlySet<string> = new Set([
  'ALERT_FAILURE',
  'ALERT_DEGRADED',
  'ALERT_DEGRADED_FAILURE',
]);

function advanceFree<Run>(
  before: DependentState<Run>,
  event: DependentEvent,
  { escalation, silence, run, startedAt, evaluate }: Circumstances<Run>,
): DependentStep<Run> {
  if (!isDue(before.escalation, event)) return { state: before, alerts: [] };
  const step = (silenced: Silence) => {
    const { state, alerts } = escalate(before.escalation, event, escalation, silenced);
    return { state, alerts: alerts.map((alert) => ({ ...alert, run })) };
  };
  const plain = step(silence);
  const isBad = event.type === 'due' || event.verdict !== 'passed';
  const since = isBad ? (before.unexplainedSince ?? event.at) : null;
  const free = {
    state: { escalation: plain.state, unexplainedSince: since, hold: null },
    alerts: plain.alerts,
  };
  if (silence !== 'none' || since === null) return free;
  const verdict = evaluate({ startedAt, since });
  const isHeld = verdict === 'unknown' && plain.alerts.some(({ kind }) => DETERIORATIONS.has(kind));
  if (verdict !== 'failing' && !isHeld) return free;
  const explained = step('dependency');
  if (!isHeld) return { state: { escalation: explained.state, ...NOT_HELD }, alerts: explained.alerts };
  const hold = {
    since,
    startedAt,
    until: event.at + HOLD_MS,
    reported: plain.state,
    alerts: plain.alerts,
    explainedAlerts: explained.alerts,
  };
  return { state: { escalation: explained.state, unexplainedSince: since, hold }, alerts: [] };
}

function advanceHeld<Run>(
  before: DependentState<Run>,
  held: Hold<Run>,
  event: DependentEvent,
  { escalation, silence, run, evaluate }: Circumstances<Run>,
): DependentStep<Run> {
  const append = (
    list: readonly AlertOfRun<Run>[],
    state: EscalationState,
    silenced: Silence,
  ): { readonly state: EscalationState; readonly alerts: readonly AlertOfRun<Run>[] } => {
    if (!isDue(state, event)) return { state, alerts: list };
    const step = escalate(state, event, escalation, silenced);
    return { state: step.state, alerts: [...list, ...step.alerts.map((alert) => ({ ...alert, run }))] };
  };
  const explained = append(
    held.explainedAlerts,
    before.escalation,
    silence === 'none' ? 'dependency' : silence,
  );
  const reported = append(held.alerts, held.reported, 'none');
  const verdict = evaluate(held);
  // Maintenance or a mute that began meanwhile has the effect that it has on a new alert.
  if (verdict === 'failing' || silence !== 'none')
    return { state: { escalation: explained.state, ...NOT_HELD }, alerts: explained.alerts };
  if (verdict === 'good' || event.at >= held.until) {
    const unexplainedSince = isHealthy(reported.state) ? null : before.unexplainedSince;
    return { state: { escalation: reported.state, unexplainedSince, hold: null }, alerts: reported.alerts };
  }
  const hold = {
    ...held,
    reported: reported.state,
    alerts: reported.alerts,
    explainedAlerts: explained.alerts,
  };
  return { state: { ...before, escalation: explained.state, hold }, alerts: [] };
}

/** Returns whether the state need not be stored. */
export const isAtRest = ({ escalation, hold }: DependentState<unknown>): boolean =>
  hold === null && isHealthy(escalation);
