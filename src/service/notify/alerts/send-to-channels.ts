/** Enqueues an alert to the channels of a check, alone or with others of its group or service. */

import type { AlertChannelRecord, StoreTransaction } from '../../store/index.ts';
import { alertKey } from '../../store/sent-alerts.ts';
import { truncate } from '../channels/channel-type.ts';
import { type AlertFacts, type AlertKind, isRecovery, wantsAlert } from '../facts/alert-facts.ts';
import type { AlertSubject } from './alert-settings.ts';
import { enqueueToChannel } from './enqueue-to-channel.ts';
import type { Alert } from './escalation.ts';
import { addToBundle, type BundleContext, bundleOf } from './send-bundle.ts';

/** Limits of names, tags and the number of tags in a message. */
const MAX_LABEL_LENGTH = 255;
const MAX_TAGS = 100;

type Run = Pick<AlertFacts, 'run' | 'link' | 'changes' | 'recent' | 'ended'>;

const toFacts = ({ check, group }: AlertSubject, { kind, at, since }: Alert, run: Run): AlertFacts => ({
  ...{ kind, at, since, ...run },
  check: { id: check.id, name: truncate(check.name, MAX_LABEL_LENGTH), type: check.type },
  groupName: group ? truncate(group.body.name, MAX_LABEL_LENGTH) : null,
  tags: (check.body.tags ?? []).slice(0, MAX_TAGS).map((tag) => truncate(tag, MAX_LABEL_LENGTH)),
});

const isWanted = async (
  tx: StoreTransaction,
  checkId: string,
  channel: AlertChannelRecord,
  { kind, isSilent, hasFailed }: Alert,
): Promise<boolean> =>
  wantsAlert(channel.body, kind, hasFailed) && (!isSilent || (await hasOpenIncident(tx, checkId, channel)));

async function enqueueAlert(
  tx: StoreTransaction,
  accountId: string,
  channel: AlertChannelRecord,
  alert: { readonly id: string; readonly facts: AlertFacts },
): Promise<void> {
  const { check, kind, run } = alert.facts;
  await enqueueToChannel(tx, channel, alert.facts, {
    accountId,
    key: alertKey(alert.id, channel.id),
    lane: `alert/${check.id}/${channel.id}`,
    alert: { channelId: channel.id, checkId: check.id, type: kind, run },
  });
}

/** Enqueues an alert. A silent one, which must be a recovery, reaches only channels with an open incident. */
export async function sendToChannels(
  tx: StoreTransaction,
  subject: AlertSubject,
  alert: Alert,
  run: Run,
  context: BundleContext,
): Promise<void> {
  const { id: checkId, accountId } = subject.check;
  const one = { id: tx.random.uuid(), facts: toFacts(subject, alert, run) };
  for (const channel of await loadChannels(tx, subject)) {
    if (!(await isWanted(tx, checkId, channel, alert))) continue;
    const bundle = bundleOf(subject, channel);
    if (bundle === undefined) await enqueueAlert(tx, accountId, channel, one);
    else await addToBundle(tx, { accountId, channelId: channel.id, bundle }, one, context);
  }
}

/** Enqueues an alert to these channels with incidents, which bundle nothing. A silent one as in `sendToChannels`. */
export async function sendToVendors(
  tx: StoreTransaction,
  subject: AlertSubject,
  alert: Alert,
  run: Run,
  channels: readonly AlertChannelRecord[],
): Promise<void> {
  const { id: checkId, accountId } = subject.check;
  const one = { id: tx.random.uuid(), facts: toFacts(subject, alert, run) };
  for (const channel of channels)
    if (await isWanted(tx, checkId, channel, alert)) await enqueueAlert(tx, accountId, channel, one);
}

/** Types of channels that open an incident for each check, which only a recovery resolves. */
const WITH_INCIDENTS: ReadonlySet<string> = new Set(['PAGERDUTY', 'OPSGENIE']);

export const opensIncidents = ({ body }: AlertChannelRecord): boolean => WITH_INCIDENTS.has(body.type);

/**
 * Returns whether the last message about the check left an incident open at the vendor. It is resolved even if the check is
 * silenced by now: the next failure would count as part of it, and alert nobody.
 */
export async function hasOpenIncident(
  tx: StoreTransaction,
  checkId: string,
  channel: AlertChannelRecord,
): Promise<boolean> {
  if (!opensIncidents(channel)) return false;
  const last = await tx.outbox.lastAlertType(checkId, channel.id);
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
