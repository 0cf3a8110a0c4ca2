/** Tells the automation rules of a check that it begins to fail, that it still fails, or that it has recovered. */
import type { StoreTransaction } from '../../store/index.ts';
import type { AlertSubject } from './alert-settings.ts';
import type { EscalationEvent } from './escalation.ts';
import type { IncidentState, IncidentStep, RuleRetry } from './incident-escalation.ts';
import { joinRules, leaveRules } from './rule-incidents.ts';

type Silence = 'none' | 'window' | 'inactive';

interface RuleStep {
  readonly before: IncidentState;
  /** The step of the incident of the check itself. */
  readonly after: IncidentState;
  readonly move: IncidentStep['move'];
  /** `settle` concerns only alerts. */
  readonly event: EscalationEvent | { readonly type: 'settle'; readonly at: number };
  readonly silence: Silence;
}

/** Applies a step to the rules of a check. Returns when to try again; undefined: no rule waits. Without a change it reads nothing. */
export async function advanceRules(
  tx: StoreTransaction,
  subject: AlertSubject,
  { before, after, move, event, silence }: RuleStep,
): Promise<RuleRetry | undefined> {
  const { id: checkId, accountId } = subject.check;
  const { at } = event;
  if (move === 'resolve') {
    await leaveRules(tx, { accountId, checkId, at });
    return undefined;
  }
  if (after.escalation.level !== 'failing') return undefined;
  // A move without a change of the level is that of an incident which maintenance held back.
  const isNew = move === 'open' && before.escalation.level !== 'failing';
  const { ruleRetry: retry } = before;
  if (!isNew && (retry === undefined || !isDue(retry, event))) return retry;
  // A window since the last run hides newer results: wait for the next one.
  if (silence !== 'none') return { at: null };
  return joinRules(tx, { subject, at, since: after.ranAt ?? at, isNew });
}

/** Returns whether to try again: at the time of the retry, or when a run has failed. */
function isDue({ at }: RuleRetry, event: RuleStep['event']): boolean {
  if (event.type === 'run') return event.verdict === 'failed';
  return event.type === 'due' && at !== null && at <= event.at;
}
