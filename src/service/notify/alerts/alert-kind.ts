/** The kinds of alerts (docs/gaps.md), and which channels want which. */
import type { ALERT_KINDS } from '../../../contract/enumerations.ts';

export type AlertKind = (typeof ALERT_KINDS)[number];

/** A channel's switches; left out: as the contract's defaults have them. */
export interface AlertSwitches {
  readonly sendFailure?: boolean | undefined;
  readonly sendRecovery?: boolean | undefined;
  readonly sendDegraded?: boolean | undefined;
}

/**
 * Whether a channel wants an alert. `hasFailed`: a failure was told since all was well. Who was told of a failure is told
 * of its end, also where it ended by way of degradation and the channel wants to hear of no other.
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
