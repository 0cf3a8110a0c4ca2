/** Combines the alerts of a group or service into messages. Pure. */
import type { AlertFacts, AlertKind } from '../facts/alert-facts.ts';

/** An alert that waits for others. */
export interface PendingAlert {
  /** UUID, the same for all channels. */
  readonly id: string;
  readonly facts: AlertFacts;
}

/** The kind of a message for alerts of each kind. */
const MESSAGE_KINDS: Readonly<Record<AlertKind, AlertKind>> = {
  ALERT_FAILURE: 'ALERT_FAILURE',
  ALERT_DEGRADED_FAILURE: 'ALERT_FAILURE',
  ALERT_FAILURE_REMAIN: 'ALERT_FAILURE_REMAIN',
  ALERT_DEGRADED: 'ALERT_DEGRADED',
  ALERT_FAILURE_DEGRADED: 'ALERT_DEGRADED',
  ALERT_DEGRADED_REMAIN: 'ALERT_DEGRADED_REMAIN',
  ALERT_RECOVERY: 'ALERT_RECOVERY',
  ALERT_DEGRADED_RECOVERY: 'ALERT_RECOVERY',
  // Sent for a certificate or a private location, not for a check: they never wait.
  ALERT_SSL: 'ALERT_SSL',
  ALERT_LOCATION: 'ALERT_LOCATION',
  ALERT_LOCATION_RECOVERY: 'ALERT_LOCATION_RECOVERY',
};

/**
 * Returns the alerts of each message. Alerts of the same kind share one, unless that would change the order of the alerts of
 * a check.
 */
export function splitIntoMessages(alerts: readonly PendingAlert[]): readonly (readonly PendingAlert[])[] {
  const messages: { readonly kind: AlertKind; readonly alerts: PendingAlert[] }[] = [];
  for (const alert of alerts) {
    const { kind: own, check } = alert.facts;
    const kind = MESSAGE_KINDS[own];
    const after = messages.findLastIndex((one) =>
      one.alerts.some(({ facts }) => facts.check.id === check.id),
    );
    const open = messages.findIndex((one, index) => index > after && one.kind === kind);
    if (open < 0) messages.push({ kind, alerts: [alert] });
    else messages[open]?.alerts.push(alert);
  }
  return messages.map((one) => one.alerts);
}

/** Returns the facts of a message: those of the only alert, or those of all. `name`: of the group or service. */
export function combineFacts(alerts: readonly [PendingAlert, ...PendingAlert[]], name: string): AlertFacts {
  const all = alerts.map(({ facts }) => facts);
  const [{ facts: first }] = alerts;
  if (alerts.length === 1) return first;
  return {
    ...first,
    kind: MESSAGE_KINDS[first.kind],
    at: Math.max(...all.map(({ at }) => at)),
    since: Math.min(...all.map(({ since }) => since)),
    tags: [],
    link: null,
    bundle: {
      name,
      alerts: all.map(({ kind, check, run, link }) => ({ kind, check, run, link })),
    },
  };
}
