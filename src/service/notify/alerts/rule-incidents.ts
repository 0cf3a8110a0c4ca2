/**
 * Opens and resolves the incidents of automation rules. A rule has at most one open incident, which stays open while at
 * least one failing check counts for it.
 */

import { TARGET_IMPACTS } from '../../../contract/enumerations.ts';
import { suppressesIncidents } from '../../maintenance/effects.ts';
import type {
  AutomationRuleBody,
  AutomationRuleRecord,
  IncidentRecord,
  StoreTransaction,
} from '../../store/index.ts';
import { incidentTimes } from '../../store/status-pages.ts';
import { createIncident, endIncident, type IncidentSettings } from '../incidents.ts';
import type { AlertSubject } from './alert-settings.ts';
import type { RuleRetry } from './incident-escalation.ts';

const MINUTE_MS = 60_000;

type Impact = AutomationRuleBody['components'][number]['targetImpact'];

/** The severity of an incident by the worst impact of its rule (docs/gaps.md). Incidents have no severity for maintenance. */
const SEVERITIES: Readonly<Record<Impact, IncidentSettings['severity']>> = {
  MAJOR_OUTAGE: 'CRITICAL',
  PARTIAL_OUTAGE: 'MAJOR',
  DEGRADED_PERFORMANCE: 'MEDIUM',
  UNDER_MAINTENANCE: 'MINOR',
};

/** Returns what a rule decides of its incident. */
export function settingsOfRule({ name, components }: AutomationRuleBody): IncidentSettings {
  const worst = TARGET_IMPACTS.find((impact) =>
    components.some(({ targetImpact }) => targetImpact === impact),
  );
  return {
    name,
    severity: SEVERITIES[worst ?? 'MAJOR_OUTAGE'],
    services: components.map(({ componentId }) => ({ id: componentId })),
  };
}

/** Returns whether a rule opens incidents for a check: it is enabled, affects a service, and has a tag of the check or its group. */
export function appliesTo(
  { enabled, components, tags }: AutomationRuleBody,
  { check, group }: Pick<AlertSubject, 'check' | 'group'>,
): boolean {
  if (!enabled || components.length === 0) return false;
  const own = new Set([...(check.body.tags ?? []), ...(group?.body.tags ?? [])]);
  return tags.some((tag) => own.has(tag));
}

/** The failure of a check. Instants in ms since the epoch. */
interface Failure {
  readonly subject: AlertSubject;
  readonly at: number;
  /** When the failed run started. */
  readonly since: number;
  /** Whether the check begins to fail. A person may have resolved an incident before. */
  readonly isNew: boolean;
}

/**
 * Counts a failing check for all rules that apply to it, and opens their incidents. Returns when to try again if a rule
 * may not open its incident yet.
 */
export async function joinRules(tx: StoreTransaction, failure: Failure): Promise<RuleRetry | undefined> {
  const { subject, isNew } = failure;
  const { id: checkId, accountId } = subject.check;
  await tx.automationRules.serialize(accountId, 'shared');
  const rules = (await tx.automationRules.list(accountId)).filter(({ body }) => appliesTo(body, subject));
  if (rules.length === 0) return undefined;
  const counted = await tx.automationRules.rulesOf(checkId);
  const retries: RuleRetry[] = [];
  // All transactions lock rules in the same order.
  for (const rule of rules.sort((one, other) => (one.id < other.id ? -1 : 1))) {
    if (!isNew && counted.has(rule.id)) continue;
    const retry = await joinRule(tx, rule, failure);
    if (retry !== undefined) retries.push(retry);
  }
  const instants = retries.flatMap(({ at }) => at ?? []);
  return retries.length === 0 ? undefined : { at: instants.length === 0 ? null : Math.min(...instants) };
}

async function joinRule(
  tx: StoreTransaction,
  { id, accountId, body }: AutomationRuleRecord,
  { subject, at, since }: Failure,
): Promise<RuleRetry | undefined> {
  const components = await shownComponents(tx, accountId, body);
  const settings = settingsOfRule({ ...body, components });
  if (components.length === 0 || (await areSuppressed(tx, subject, settings, at, since))) return { at: null };
  const state = await tx.automationRules.lock(id);
  if (state === undefined) return undefined;
  const { incidentId } = state;
  const last = incidentId === null ? undefined : await tx.incidents.get(accountId, incidentId);
  if (last === undefined || last.body.lastUpdateStatus === 'RESOLVED') {
    const endedAt = last === undefined ? state.endedAt : endOf(last);
    const coolUntil = (endedAt ?? 0) + body.coolDownWindowMinutes * MINUTE_MS;
    if (endedAt !== null && coolUntil > at) return { at: coolUntil };
    const first = { description: body.firstUpdate, notifySubscribers: body.notifySubscribers };
    const opened = await createIncident(tx, { accountId, at }, settings, first);
    await tx.automationRules.setState(id, { incidentId: opened, endedAt });
  }
  await tx.automationRules.addFailure(accountId, id, subject.check.id);
  return undefined;
}

/** Returns when an incident was resolved, in ms since the epoch; null: it is open. */
const endOf = ({ body }: IncidentRecord): number | null => incidentTimes(body).resolved_at;

/** Returns the components of a rule that its page shows: the page may have lost some since the rule was written. */
async function shownComponents(
  tx: StoreTransaction,
  accountId: string,
  { statusPageId, components }: AutomationRuleBody,
): Promise<AutomationRuleBody['components']> {
  const page = await tx.statusPages.get(accountId, statusPageId);
  const shown = new Set(page?.body.cards.flatMap((card) => card.services.map(({ id }) => id)));
  return components.filter(({ componentId }) => shown.has(componentId));
}

/** Returns whether maintenance suppresses incidents of all these services. */
async function areSuppressed(
  tx: StoreTransaction,
  { check, group }: AlertSubject,
  { services }: IncidentSettings,
  at: number,
  since: number,
): Promise<boolean> {
  for (const { id: serviceId } of services)
    if (!(await suppressesIncidents(tx, check.accountId, { check, group, serviceId }, at, since)))
      return false;
  return true;
}

/** Stops counting a check that has recovered. Resolves the incidents of rules for which no other check fails. */
export async function leaveRules(
  tx: StoreTransaction,
  { accountId, checkId, at }: { readonly accountId: string; readonly checkId: string; readonly at: number },
): Promise<void> {
  for (const id of await tx.automationRules.removeFailures(checkId))
    await settleRule(tx, { accountId, id, at });
}

/**
 * Resolves the incident of a rule for which no check fails any more. `ending`: the text if nothing has recovered; then no
 * cool down begins.
 */
export async function settleRule(
  tx: StoreTransaction,
  { accountId, id, at }: { readonly accountId: string; readonly id: string; readonly at: number },
  ending?: string,
): Promise<void> {
  const state = await tx.automationRules.lock(id);
  if (state === undefined || state.incidentId === null || (await tx.automationRules.hasFailures(id))) return;
  const rule = await tx.automationRules.get(accountId, id);
  await endIncident(tx, { accountId, id: state.incidentId, at }, ending ?? rule?.body.lastUpdate ?? '');
  const ended = await tx.incidents.get(accountId, state.incidentId);
  const endedAt = ending === undefined && ended !== undefined ? endOf(ended) : state.endedAt;
  await tx.automationRules.setState(id, { incidentId: null, endedAt });
}
