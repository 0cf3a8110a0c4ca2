/** Loads the check of an alert with its group and effective settings. */
import type { CheckGroupRecord, CheckRecord, StoreTransaction } from '../../store/index.ts';
import { type AlertSettings, resolveAlertSettings } from './alert-settings.ts';

export interface AlertSubject {
  readonly check: CheckRecord;
  readonly group: CheckGroupRecord | undefined;
  readonly settings: AlertSettings;
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
  return { check, group, settings: resolveAlertSettings(check, group, account?.alertSettings) };
}

/** Returns whether the check or its group is muted. */
export const isMuted = ({ check, group }: Pick<AlertSubject, 'check' | 'group'>): boolean =>
  check.muted || group?.body.muted === true;

/** Returns whether the check and its group are activated. */
export const isActive = ({ check, group }: Pick<AlertSubject, 'check' | 'group'>): boolean =>
  check.activated && group?.body.activated !== false;
