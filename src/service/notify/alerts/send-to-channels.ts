/** Enqueues an alert to the channels of a check, alone or with others of its group or service. */

import type { AlertChannelRecord, StoreTransaction } from '../../store/index.ts';
import { alertKey } from '../../store/sent-alerts.ts';
import { truncate } from '../channels/channel-type.ts';
import { renderMessage } from '../channels/index.ts';
import { enqueue } from '../outbox/message.ts';
import { type AlertFacts, type AlertKind, isRecovery, wantsAlert } from './alert-facts.ts';
import { type AlertSubject, loadSubject } from './alert-settings.ts';
import type { Alert } from './escalation.ts';
import { addToBundle, type BundleContext, bundleOf } from './send-bundle.ts';

/** Limits of names, tags and the number of tags in a message. */
const MAX_LABEL_LENGTH = 255;
const MAX_TAGS = 100;

/** Enqueues an alert. A silent one, which must be a recovery, reaches only channels with an open incident. */
export async function sendToChannels(
  tx: StoreTransaction,
  subject: AlertSubject,
  alert: Alert,
  run: Pick<AlertFacts, 'run' | 'link' | 'changes' | 'recent' | 'isDeleted'>,
  context: BundleContext,
): Promise<void> {
  const { check, group } = subject;
  const facts: AlertFacts = {
    kind: alert.kind,
    at: alert.at,
    since: alert.since,
    ...run,
    check: { id: check.id, name: truncate(check.name, MAX_LABEL_LENGTH), type: check.type },
    groupName: group ? truncate(group.body.name, MAX_LABEL_LENGTH) : null,
    tags: (check.body.tags ?? []).slice(0, MAX_TAGS).map((tag) => truncate(tag, MAX_LABEL_LENGTH)),
  };
  const alertId = tx.random.uuid();
  for (const channel of await loadChannels(tx, subject)) {
    if (!wantsAlert(channel.body, alert.kind, alert.hasFailed)) continue;
    if (alert.isSilent && !(await hasOpenIncident(tx, check.id, channel))) continue;
    const bundle = bundleOf(subject, channel);
    if (bundle !== undefined) {
      const key = { accountId: check.accountId, channelId: channel.id, bundle };
      await addToBundle(tx, key, { id: alertId, facts }, context);
      continue;
    }
    await enqueue(tx, {
      accountId: check.accountId,
      key: alertKey(alertId, channel.id),
      lane: `alert/${check.id}/${channel.id}`,
      message: renderMessage(channel.body, facts),
      alert: { channelId: channel.id, checkId: check.id, type: alert.kind },
    });
  }
}

/**
 * Resolves the incidents of a check at vendors in the transaction that deletes it. Call it before the deletion, which
 * removes the subscriptions. Nothing else would resolve them.
 */
export async function resolveVendorIncidents(
  tx: StoreTransaction,
  { accountId, checkId, at }: { readonly accountId: string; readonly checkId: string; readonly at: number },
): Promise<void> {
  const subject = await loadSubject(tx, accountId, checkId);
  if (subject === undefined) return;
  const recovery = { kind: 'ALERT_RECOVERY', at, since: at, isSilent: true, hasFailed: true } as const;
  const run = { run: null, link: null, isDeleted: true };
  // Channels with incidents bundle nothing.
  await sendToChannels(tx, subject, recovery, run, { buildPageLink: () => undefined, onDue: () => {} });
}

/** Types of channels that open an incident for each check, which only a recovery resolves. */
const WITH_INCIDENTS: ReadonlySet<string> = new Set(['PAGERDUTY', 'OPSGENIE']);

/**
 * Returns whether the last message about the check left an incident open at the vendor. It is resolved even if the check is
 * silenced by now: the next failure would count as part of it, and alert nobody.
 */
async function hasOpenIncident(
  tx: StoreTransaction,
  checkId: string,
  { id, body }: AlertChannelRecord,
): Promise<boolean> {
  if (!WITH_INCIDENTS.has(body.type)) return false;
  const last = await tx.outbox.lastAlertType(checkId, id);
  return last !== undefined && !isRecovery(last as AlertKind);
}

/** Loads the activated channels of the group, or of the check if the group has none. */
export async function loadChannels(
  tx: StoreTransaction,
  { check, group }: AlertSubject,
): Promise<AlertChannelRecord[]> {
  const { accountId, id: checkId } = check;
  const groupSubscriptions =
    group === undefined ? [] : await tx.subscriptions.ofTarget(accountId, { groupId: group.id });
  const subscriptions =
    groupSubscriptions.length > 0
      ? groupSubscriptions
      : await tx.subscriptions.ofTarget(accountId, { checkId });
  const ids = subscriptions.filter(({ activated }) => activated).map(({ channelId }) => channelId);
  const channels = ids.length === 0 ? [] : await tx.alertChannels.byIds(accountId, ids);
  return channels.sort((one, other) => one.id - other.id);
}
