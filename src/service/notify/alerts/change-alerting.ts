/**
 * Applies changed settings to the open incidents of checks, on status pages and at vendors. Everything that
 * nothing would end any more is resolved, and everything that belongs elsewhere now is opened there.
 */
import { isSilenced, suppressesIncidents } from '../../maintenance/effects.ts';
import type { AlertChannelRecord, StoreTransaction } from '../../store/index.ts';
import type { AlertFacts } from '../facts/alert-facts.ts';
import {
  changeOpenIncident,
  ENDINGS,
  openIncident,
  resolveIncident,
  settingsOfTrigger,
} from '../incidents.ts';
import type { StoredState } from './advance-check.ts';
import { type AlertSubject, isActive, isMuted, loadSubject } from './alert-settings.ts';
import { watchRules } from './change-rules.ts';
import { markHeld } from './incident-escalation.ts';
import { hasOpenIncident, loadChannels, opensIncidents, sendToVendors } from './send-to-channels.ts';

/** The checks that a change may affect: those with these IDs or in the group, by default all of the account. */
export interface ChangeScope {
  readonly accountId: string;
  readonly checkIds?: readonly string[];
  readonly groupId?: number;
}

/** A check with something open, as it was before a change. */
interface OpenCheck {
  readonly subject: AlertSubject;
  readonly incidentId: string | undefined;
  /** The channels that open incidents at vendors. */
  readonly vendors: readonly AlertChannelRecord[];
}

/**
 * Runs a change of checks, groups, alert channels or subscriptions, and applies it to what is open, in the caller's
 * transaction. Every such change must go through it.
 */
export async function changeAlerting<T>(
  tx: StoreTransaction,
  scope: ChangeScope,
  change: () => Promise<T>,
): Promise<T> {
  const checkIds = await tx.alertStates.withOpenAlerts(scope);
  const finishRules = await watchRules(tx, scope.accountId, checkIds);
  const open: OpenCheck[] = [];
  for (const checkId of checkIds) {
    const subject = await loadSubject(tx, scope.accountId, checkId);
    if (subject === undefined) continue;
    const incidentId = await tx.incidents.openedBy(scope.accountId, checkId);
    open.push({ subject, incidentId, vendors: await loadVendors(tx, subject) });
  }
  const changed = await change();
  for (const check of open) await applyChange(tx, check);
  await finishRules();
  return changed;
}

const loadVendors = async (tx: StoreTransaction, subject: AlertSubject): Promise<AlertChannelRecord[]> =>
  (await loadChannels(tx, subject)).filter(opensIncidents);

async function applyChange(tx: StoreTransaction, before: OpenCheck): Promise<void> {
  const { id: checkId, accountId } = before.subject.check;
  const after = await loadSubject(tx, accountId, checkId);
  const end = after === undefined ? 'deleted' : isActive(after) ? undefined : 'deactivated';
  if (after === undefined || end !== undefined) {
    await closeVendors(tx, before, [], end);
    await endIncident(tx, before, ENDINGS[end ?? 'deleted']);
    // The first failure after an activation alerts again.
    await tx.alertStates.delete(checkId);
    return;
  }
  const row = await tx.alertStates.find(checkId);
  const state = row && (JSON.parse(row.state) as StoredState);
  await applyTrigger(tx, before, after, state);
  const vendors = await loadVendors(tx, after);
  await closeVendors(tx, before, vendors, 'unsubscribed');
  if (state !== undefined) await openVendors(tx, before, after, vendors, state);
}

/** Returns what identifies the incidents of a channel at its vendor. */
const destinationOf = ({ body: { type, config } }: AlertChannelRecord): string =>
  JSON.stringify([
    type,
    ...['serviceKey', 'apiKey', 'region'].map((field) => config[field as never] ?? null),
  ]);

const without = (
  channels: readonly AlertChannelRecord[],
  others: readonly AlertChannelRecord[],
): AlertChannelRecord[] => {
  const known = new Set(others.map(destinationOf));
  return channels.filter((channel) => !known.has(destinationOf(channel)));
};

/** Resolves the incidents at vendors that no longer get the alerts of the check, over the channels as they were. */
async function closeVendors(
  tx: StoreTransaction,
  { subject, vendors }: OpenCheck,
  after: readonly AlertChannelRecord[],
  ended: AlertFacts['ended'],
): Promise<void> {
  const at = tx.clock.now();
  const recovery = { kind: 'ALERT_RECOVERY', at, since: at, isSilent: true, hasFailed: true } as const;
  const run = { run: null, link: null, ...(ended && { ended }) };
  await sendToVendors(tx, subject, recovery, run, without(vendors, after));
}

/** Alerts the vendors that get the alerts of a failing check from now on. */
async function openVendors(
  tx: StoreTransaction,
  before: OpenCheck,
  after: AlertSubject,
  vendors: readonly AlertChannelRecord[],
  { escalation, run }: StoredState,
): Promise<void> {
  const added = without(vendors, before.vendors);
  const { level, since, hasFailed } = escalation;
  const at = tx.clock.now();
  if (added.length === 0 || level === 'well' || isMuted(after)) return;
  if (await isSilenced(tx, after.check.accountId, after, at)) return;
  const kind = level === 'failing' ? 'ALERT_FAILURE' : 'ALERT_DEGRADED';
  const alert = { kind, at, since: since ?? at, isSilent: false, hasFailed } as const;
  const closed: AlertChannelRecord[] = [];
  for (const channel of added)
    if (!(await hasOpenIncident(tx, after.check.id, channel))) closed.push(channel);
  await sendToVendors(tx, after, alert, { run, link: null }, closed);
}

const endIncident = (tx: StoreTransaction, { subject, incidentId }: OpenCheck, description: string) =>
  resolveIncident(
    tx,
    { accountId: subject.check.accountId, checkId: subject.check.id, at: tx.clock.now(), incidentId },
    description,
  );

/** Moves the incident of the check to the service of its trigger, or gives it the severity and the name of the trigger. */
async function applyTrigger(
  tx: StoreTransaction,
  before: OpenCheck,
  after: AlertSubject,
  state: StoredState | undefined,
): Promise<void> {
  const { id: checkId, accountId } = after.check;
  const [old, trigger] = [before.subject.check.body.triggerIncident, after.check.body.triggerIncident];
  if (old?.serviceId === trigger?.serviceId) {
    if (old && trigger && before.incidentId !== undefined)
      await changeOpenIncident(
        tx,
        { accountId, id: before.incidentId },
        settingsOfTrigger(old),
        settingsOfTrigger(trigger),
      );
    return;
  }
  await endIncident(tx, before, ENDINGS.moved);
  const incident = state?.incident;
  if (trigger?.serviceId === undefined || incident?.escalation.level !== 'failing') return;
  const at = tx.clock.now();
  const target = { check: after.check, group: after.group, serviceId: trigger.serviceId };
  if (await suppressesIncidents(tx, accountId, target, at, at))
    await tx.alertStates.setState(checkId, JSON.stringify({ ...state, incident: markHeld(incident) }));
  else await openIncident(tx, { accountId, checkId, trigger, at });
}
