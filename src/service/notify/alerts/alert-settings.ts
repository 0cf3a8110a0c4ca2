/** Loads the check of an alert, and resolves its alert settings from its group, its own and its account's. */
import type {
  AccountAlertSettings,
  CheckGroupRecord,
  CheckRecord,
  StoreTransaction,
} from '../../store/index.ts';
import type { Escalation, ParallelThreshold } from './escalation.ts';

const MINUTE_MS = 60_000;

/** Stored settings; docs/gaps.md defines the defaults. */
type StoredSettings = Partial<AccountAlertSettings>;

interface AlertSettingsSource {
  readonly useGlobalAlertSettings?: boolean | null;
  readonly alertSettings?: StoredSettings | null;
}

/**
 * Selects the settings. A group decides for its checks: the account's (the default) or its own. With
 * `useGlobalAlertSettings: null` each check decides.
 */
function selectSettings(
  check: CheckRecord,
  group: CheckGroupRecord | undefined,
  account: StoredSettings,
): StoredSettings {
  const groupBody: AlertSettingsSource | undefined = group?.body;
  const source: AlertSettingsSource =
    groupBody === undefined || groupBody.useGlobalAlertSettings === null
      ? (check.body as AlertSettingsSource)
      : groupBody;
  return (source.useGlobalAlertSettings ?? true) ? account : (source.alertSettings ?? {});
}

function applyDefaults(stored: StoredSettings): AlertSubject['settings'] {
  const { escalationType = 'RUN_BASED', runBasedEscalation, timeBasedEscalation, reminders } = stored;
  const { enabled = false, percentage = 10 } = stored.parallelRunFailureThreshold ?? {};
  return {
    escalation: {
      by:
        escalationType === 'TIME_BASED'
          ? { ms: (timeBasedEscalation?.minutesFailingThreshold ?? 5) * MINUTE_MS }
          : { runs: runBasedEscalation?.failedRunThreshold ?? 1 },
      reminders: { amount: reminders?.amount ?? 0, intervalMs: (reminders?.interval ?? 5) * MINUTE_MS },
    },
    parallel: { enabled, percentage },
  };
}

export interface AlertSubject {
  readonly check: CheckRecord;
  readonly group: CheckGroupRecord | undefined;
  readonly settings: { readonly escalation: Escalation; readonly parallel: ParallelThreshold };
}

/** Returns undefined if the check no longer exists. */
export async function loadSubject(
  tx: StoreTransaction,
  accountId: string,
  checkId: string,
): Promise<AlertSubject | undefined> {
  const check = await tx.checks.get(accountId, checkId);
  if (check === undefined) return undefined;
  const group = check.groupId === null ? undefined : await tx.groups.get(accountId, check.groupId);
  const account = await tx.accounts.get(accountId);
  const stored = selectSettings(check, group, account?.alertSettings ?? {});
  return { check, group, settings: applyDefaults(stored) };
}

/** Returns whether the check or its group is muted. */
export const isMuted = ({ check, group }: Pick<AlertSubject, 'check' | 'group'>): boolean =>
  check.muted || group?.body.muted === true;

/** Returns whether the check and its group are activated. */
export const isActive = ({ check, group }: AlertSubject): boolean =>
  check.activated && group?.body.activated !== false;
