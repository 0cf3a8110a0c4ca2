/** Defines the kinds of alerts (docs/gaps.md) and which of them a channel receives. */
import type { ALERT_KINDS } from '../../../contract/enumerations.ts';

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A channel's switches; the contract defines the defaults. */
export interface AlertSwitches {
  readonly sendFailure?: boolean | undefined;
  readonly sendRecovery?: boolean | undefined;
  readonly sendDegraded?: boolean | undefined;
}

/**
 * Returns whether a channel receives an alert. `hasFailed`: a failure alert was sent since the last recovery. A channel
 * that got the failure also gets its end, even if the check was degraded in between and degradations are off.
 */
export function wantsAlert(
  { sendFailure = true, sendRecovery = true, sendDegraded = false }: AlertSwitches,
  kind: AlertKind,
  hasFailed: boolean,
): boolean {
  switch (kind) {
    case 'ALERT_FAILURE':
    case 'ALERT_FAILURE_REMAIN':
    case 'ALERT_DEGRADED_FAILURE':
      return sendFailure;
    case 'ALERT_DEGRADED':
    case 'ALERT_DEGRADED_REMAIN':
      return sendDegraded;
    case 'ALERT_FAILURE_DEGRADED':
      return sendDegraded || sendRecovery;
    case 'ALERT_RECOVERY':
      return sendRecovery;
    case 'ALERT_DEGRADED_RECOVERY':
      return sendRecovery && (sendDegraded || hasFailed);
    default:
      return kind satisfies never;
  }
}
