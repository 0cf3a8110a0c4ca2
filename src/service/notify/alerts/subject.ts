/** The check that alerts are about, with its group and the settings in force. */
import type { CheckGroupRecord, CheckRecord, StoreTransaction } from '../../store/index.ts';
import { type AlertSettings, resolveAlertSettings } from './settings.ts';

export interface AlertSubject {
  readonly check: CheckRecord;
  readonly group: CheckGroupRecord | undefined;
  readonly settings: AlertSettings;
}

/** Undefined where the check is gone. */
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

/** Whether the check's own switch or its group's keeps its alerts back. */
export const isMuted = ({ check, group }: Pick<AlertSubject, 'check' | 'group'>): boolean =>
  check.muted || group?.body.muted === true;

/** Whether anybody runs it. */
export const isActive = ({ check, group }: Pick<AlertSubject, 'check' | 'group'>): boolean =>
  check.activated && group?.body.activated !== false;
