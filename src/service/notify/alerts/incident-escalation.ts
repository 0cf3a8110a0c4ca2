/**
 * When a check wants its incident opened and resolved. It escalates as alerts do, but on its own: muted checks and silenced alerts
 * hold nothing back, as an incident is no notification. Pure.
 */

import { isRecovery } from './alert-facts.ts';
import {
  type Escalation,
  type EscalationEvent,
  type EscalationState,
  escalate,
  HEALTHY,
} from './escalation.ts';

export interface IncidentState {
  readonly escalation: EscalationState;
  /** Maintenance held the incident back when the check began to fail: the first failed run after it opens the incident. */
  readonly isHeld: boolean;
  /** When the last run started, in ms since the epoch; null: none is known. */
  readonly ranAt: number | null;
}

export interface IncidentStep {
  readonly state: IncidentState;
  /** `open` also where one is open already. */
  readonly move: 'open' | 'resolve' | undefined;
}

export const NO_INCIDENT: IncidentState = { escalation: HEALTHY, isHeld: false, ranAt: null };

/** As one whose incident maintenance holds back. */
export const markHeld = (state: IncidentState): IncidentState => ({ ...state, isHeld: true });

/**
 * `silence`: what keeps an instant from escalating (a run always counts): `inactive`, or `window` where a window paused the check
 * since its last run, so that nobody knows how it is.
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
  const hasBegun = kind === 'ALERT_FAILURE' || kind === 'ALERT_DEGRADED_FAILURE';
  const failsStill = before.isHeld && event.type === 'run' && event.verdict === 'failed';
  const opens = escalation.level === 'failing' && (hasBegun || failsStill);
  const isHeld = before.isHeld && !opens && escalation.level === 'failing';
  return { state: { escalation, isHeld, ranAt }, move: opens ? 'open' : undefined };
}
