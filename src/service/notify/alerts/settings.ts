/** The alert settings in force for a check: pure. A group's go before the check's, the account's where they say so. */
import type { AccountAlertSettings, CheckGroupRecord, CheckRecord } from '../../store/index.ts';
import type { Escalation } from './escalation.ts';
import type { ParallelThreshold } from './verdict.ts';

const MINUTE_MS = 60_000;

/** Settings as they are written; what is left out is as docs/gaps.md has it. */
type Written = Partial<AccountAlertSettings>;

export interface AlertSettings {
  readonly escalation: Escalation;
  readonly parallel: ParallelThreshold;
}

interface Deciding {
  readonly useGlobalAlertSettings?: boolean | null;
  readonly alertSettings?: Written | null;
}

/**
 * Whose settings count. A group decides for its checks: the account's (the default), or its own; with
 * `useGlobalAlertSettings: null` it leaves the choice to each check.
 */
function writtenFor(
  check: Pick<CheckRecord, 'body'>,
  group: Pick<CheckGroupRecord, 'body'> | undefined,
  account: Written,
): Written {
  const over: Deciding | undefined = group?.body;
  const decides: Deciding =
    over === undefined || over.useGlobalAlertSettings === null ? (check.body as Deciding) : over;
  return (decides.useGlobalAlertSettings ?? true) ? account : (decides.alertSettings ?? {});
}

export function resolveAlertSettings(
  check: Pick<CheckRecord, 'body'>,
  group: Pick<CheckGroupRecord, 'body'> | undefined,
  account: Written | undefined,
): AlertSettings {
  const written = writtenFor(check, group, account ?? {});
  const { escalationType = 'RUN_BASED', runBasedEscalation, timeBasedEscalation, reminders } = written;
  const { enabled = false, percentage = 10 } = written.parallelRunFailureThreshold ?? {};
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
