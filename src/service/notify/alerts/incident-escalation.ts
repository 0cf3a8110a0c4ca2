/**
 * Decides when the incident of a check opens and resolves. Escalates like alerts but separately: muting and silencing
 * do not affect incidents, because an incident is not a notification. Pure.
 */

import { isRecovery } from '../facts/alert-facts.ts';
import {
  type Escalation,
  type EscalationEvent,
  type EscalationState,
  escalate,
  HEALTHY,
} from './escalation.ts';

/** An automation rule could not open its incident for the check. */
export interface RuleRetry {
  /** When to try again without a run, in ms since the epoch; null: only with the next failed run. */
  readonly at: number | null;
}

export interface IncidentState {
  readonly escalation: EscalationState;
  /** Maintenance suppressed the incident when the check began to fail: the first failed run afterwards opens it. */
  readonly isHeld: boolean;
  /** When the last run started, in ms since the epoch; null: unknown. */
  readonly ranAt: number | null;
  /** Absent: no rule waits. */
  readonly ruleRetry?: RuleRetry | undefined;
}

export interface IncidentStep {
  readonly state: IncidentState;
  /** May be `open` while an incident is already open. */
  readonly move: 'open' | 'resolve' | undefined;
}

export const NO_INCIDENT: IncidentState = { escalation: HEALTHY, isHeld: false, ranAt: null };

/** Returns the state with the incident marked as suppressed by maintenance. */
export const markHeld = (state: IncidentState): IncidentState => ({ ...state, isHeld: true });

/**
 * Applies an event. `silence` prevents escalation at due times (a run always counts): `inactive`, or `window` if a
 * window paused the check since its last run, so that its state is unknown.
 */
export function escalateIncident(
  before: IncidentState,
  event: EscalationEvent & { readonly startedAt?: number },
  { by, reminders }: Escalation,
  silence: 'none' | 'window' | 'inactive',
): IncidentStep {
  const settings = { by, reminders: { ...reminders, amount: 0 } };
  const { state: escalation, alerts } = escalate(before.escalation, event, settings, silence);
  const kind = alerts[0]?.kind;
  const ranAt = event.startedAt ?? before.ranAt;
  if (kind !== undefined && isRecovery(kind)) {
    return { state: { escalation, isHeld: false, ranAt }, move: 'resolve' };
  }
  const startsFailing = kind === 'ALERT_FAILURE' || kind === 'ALERT_DEGRADED_FAILURE';
  const stillFails = before.isHeld && event.type === 'run' && event.verdict === 'failed';
  const opens = escalation.level === 'failing' && (startsFailing || stillFails);
  const isHeld = before.isHeld && !opens && escalation.level === 'failing';
  return { state: { escalation, isHeld, ranAt }, move: opens ? 'open' : undefined };
}
