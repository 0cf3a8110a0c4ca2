/**
 * Applies changed rules, checks, groups, pages and services to the incidents of automation rules: those that nothing would
 * resolve any more are resolved, and those of checks that fail are opened.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AutomationRuleRecord, StoreTransaction } from '../../store/index.ts';
import { changeOpenIncident, ENDINGS, endIncident } from '../incidents.ts';
import type { StoredState } from './advance-check.ts';
import { type AlertSubject, isActive, loadSubject } from './alert-settings.ts';
import { appliesTo, joinRules, settingsOfRule, settleRule } from './rule-incidents.ts';

type Rules = ReadonlyMap<string, AutomationRuleRecord>;

/** A check that counted for a rule before the change. */
interface Counted {
  readonly ruleId: string;
  readonly checkId: string;
}

const loadRules = async (tx: StoreTransaction, accountId: string): Promise<Rules> =>
  new Map((await tx.automationRules.list(accountId)).map((rule) => [rule.id, rule]));

/**
 * Runs a change of rules, or of what they refer to, in the caller's transaction, which must be read committed: it waits for
 * the checks that begin to fail meanwhile.
 */
export async function changeRules<T>(
  tx: StoreTransaction,
  accountId: string,
  change: () => Promise<T>,
): Promise<T> {
  await tx.automationRules.serialize(accountId, 'exclusive');
  const finish = await watchRules(tx, accountId, await tx.alertStates.withOpenAlerts({ accountId }));
  const changed = await change();
  await finish();
  return changed;
}

/** Remembers the incidents of rules before a change that affects these checks. Returns the function that applies the change. */
export async function watchRules(
  tx: StoreTransaction,
  accountId: string,
  checkIds: readonly string[],
): Promise<() => Promise<void>> {
  const before = await loadRules(tx, accountId);
  const incidents =
    before.size === 0 ? new Map<string, string>() : await tx.automationRules.incidents(accountId);
  const inScope = new Set(checkIds);
  const failures = incidents.size === 0 ? [] : await tx.automationRules.failures(accountId);
  const counted = failures.filter(({ checkId }) => inScope.has(checkId));
  return async () => {
    const after = await loadRules(tx, accountId);
    if (before.size === 0 && after.size === 0) return;
    const subjects = await loadSubjects(tx, accountId, after.size === 0 ? [] : checkIds);
    for (const [ruleId, incidentId] of incidents) {
      const endings = counted
        .filter((one) => one.ruleId === ruleId)
        .flatMap((one) => endingOf(one, after.get(ruleId), subjects.get(one.checkId)));
      await applyRule(tx, { accountId, incidentId, endings }, before.get(ruleId), after.get(ruleId));
    }
    for (const subject of subjects.values()) await joinIfFailing(tx, subject);
  };
}

/** Loads the checks that still exist. */
async function loadSubjects(
  tx: StoreTransaction,
  accountId: string,
  checkIds: readonly string[],
): Promise<ReadonlyMap<string, AlertSubject>> {
  const subjects = new Map<string, AlertSubject>();
  for (const checkId of checkIds) {
    const subject = await loadSubject(tx, accountId, checkId);
    if (subject !== undefined) subjects.set(checkId, subject);
  }
  return subjects;
}

/** The end of a check's part in an incident. */
interface Ending {
  readonly checkId: string;
  readonly text: string;
}

/** Returns why a check no longer counts for a rule; nothing if it still does. */
function endingOf(
  { checkId }: Counted,
  rule: AutomationRuleRecord | undefined,
  subject: AlertSubject | undefined,
): Ending[] {
  if (subject === undefined) return [{ checkId, text: ENDINGS.deleted }];
  if (!isActive(subject)) return [{ checkId, text: ENDINGS.deactivated }];
  if (rule === undefined || !rule.body.enabled || rule.body.components.length === 0)
    return [{ checkId, text: ENDINGS.stopped }];
  return appliesTo(rule.body, subject) ? [] : [{ checkId, text: ENDINGS.moved }];
}

/** Applies the change to the incident of one rule. */
async function applyRule(
  tx: StoreTransaction,
  {
    accountId,
    incidentId,
    endings,
  }: { readonly accountId: string; readonly incidentId: string; readonly endings: readonly Ending[] },
  before: AutomationRuleRecord | undefined,
  after: AutomationRuleRecord | undefined,
): Promise<void> {
  const at = tx.clock.now();
  if (after === undefined) {
    await endIncident(tx, { accountId, id: incidentId, at }, ENDINGS.stopped);
    return;
  }
  for (const { checkId } of endings) await tx.automationRules.removeFailures(checkId, after.id);
  if (endings.length > 0) await settleRule(tx, { accountId, id: after.id, at }, endings.at(-1)?.text);
  if (before !== undefined)
    await changeOpenIncident(
      tx,
      { accountId, id: incidentId },
      settingsOfRule(before.body),
      settingsOfRule(after.body),
    );
}

/** Counts a check that fails for the rules that apply to it now. */
async function joinIfFailing(tx: StoreTransaction, subject: AlertSubject): Promise<void> {
  const { id: checkId } = subject.check;
  const row = await tx.alertStates.find(checkId);
  if (row === undefined || !isActive(subject)) return;
  const state = JSON.parse(row.state) as StoredState;
  if (state.incident?.escalation.level !== 'failing') return;
  const at = tx.clock.now();
  const retry = await joinRules(tx, { subject, at, since: at, isNew: false });
  if (retry === undefined || isDeepStrictEqual(retry, state.incident.ruleRetry)) return;
  // The next failed run tries again, because nothing wakes the service at the due time of a change.
  const incident = { ...state.incident, ruleRetry: { at: null } };
  await tx.alertStates.setState(checkId, JSON.stringify({ ...state, incident }));
}
