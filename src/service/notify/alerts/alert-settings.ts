/** Resolves the alert settings of a check from its group, its own and its account's. Pure. */
import type { AccountAlertSettings, CheckGroupRecord, CheckRecord } from '../../store/index.ts';
import type { Escalation } from './escalation.ts';
import type { ParallelThreshold } from './evaluate-verdict.ts';

const MINUTE_MS = 60_000;

/** Stored settings; docs/gaps.md defines the defaults. */
type StoredSettings = Partial<AccountAlertSettings>;

export interface AlertSettings {
  readonly escalation: Escalation;
  readonly parallel: ParallelThreshold;
}

interface AlertSettingsSource {
  readonly useGlobalAlertSettings?: boolean | null;
  readonly alertSettings?: StoredSettings | null;
}

/**
 * Selects the settings. A group decides for its checks: the account's (the default) or its own. With
 * `useGlobalAlertSettings: null` each check decides.
 */
function selectSettings(
  check: Pick<CheckRecord, 'body'>,
  group: Pick<CheckGroupRecord, 'body'> | undefined,
  account: StoredSettings,
): StoredSettings {
  const groupBody: AlertSettingsSource | undefined = group?.body;
  const source: AlertSettingsSource =
    groupBody === undefined || groupBody.useGlobalAlertSettings === null
      ? (check.body as AlertSettingsSource)
      : groupBody;
  return (source.useGlobalAlertSettings ?? true) ? account : (source.alertSettings ?? {});
}

export function resolveAlertSettings(
  check: Pick<CheckRecord, 'body'>,
  group: Pick<CheckGroupRecord, 'body'> | undefined,
  account: StoredSettings | undefined,
): AlertSettings {
  const stored = selectSettings(check, group, account ?? {});
  const { escalationType = 'RUN_BASED', runBasedEscalation, timeBasedEscalation, reminders } = stored;
  const { enabled = false, percentage = 10 } = stored.parallelRunFailureThreshold ?? {};
  return {
    escalation: {
      by:
        escalationType === 'TIME_BASED'
          ? { ms: (timeBasedEscalation?.minutesFailingThreshold ?? 5) * MINUTE_MS }
          : { runs: runBasedEscalation?.failedRunThreshold ?? 1 },
      reminders: {
        amount: reminders?.amount ?? 0,
        intervalMs: (reminders?.interval ?? 5) * MINUTE_MS,
      },
    },
    parallel: { enabled, percentage },
  };
}
