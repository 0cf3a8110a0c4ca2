/** What an alert does: messages to the channels that want it, and the incident of the check. */
import { openIncident, resolveIncident } from '../incidents/index.ts';
import { suppressesIncidents } from '../maintenance/index.ts';
import { enqueue } from '../outbox/index.ts';
import type { AlertChannelRecord, StoreTransaction } from '../store/index.ts';
import { messageFor } from './channels.ts';
import type { Alert } from './escalation.ts';
import { type AlertFacts, isRecovery, type RunFacts } from './facts.ts';
import { wants } from './kinds.ts';
import type { Subject } from './subject.ts';

export async function publish(
  tx: StoreTransaction,
  subject: Subject,
  alert: Alert,
  run: RunFacts | null,
  link: string | null,
): Promise<void> {
  if (!alert.isSilent) await sendToChannels(tx, subject, alert, run, link);
  await moveIncident(tx, subject, alert);
}

async function sendToChannels(
  tx: StoreTransaction,
  subject: Subject,
  alert: Alert,
  run: RunFacts | null,
  link: string | null,
): Promise<void> {
  const { check, group } = subject;
  const facts: AlertFacts = {
    ...{ kind: alert.kind, at: alert.at, since: alert.since, run, link },
    check: { id: check.id, name: check.name, type: check.type },
    groupName: group?.body.name ?? null,
    tags: check.body.tags ?? [],
  };
  for (const channel of await channelsOf(tx, subject)) {
    if (!wants(channel.body, alert.kind, alert.hasFailed)) continue;
    await enqueue(tx, {
      accountId: check.accountId,
      key: `alert-${tx.random.uuid()}`,
      lane: `alert/${check.id}/${channel.id}`,
      message: messageFor(channel.body, facts),
      alert: { channelId: channel.id, checkId: check.id, type: alert.kind },
    });
  }
}

/** The channels that are told: the group's where it has any, else the check's; of those, the activated ones. */
async function channelsOf(tx: StoreTransaction, { check, group }: Subject): Promise<AlertChannelRecord[]> {
  const { accountId, id: checkId } = check;
  const over = group === undefined ? [] : await tx.subscriptions.of(accountId, { groupId: group.id });
  const subscriptions = over.length > 0 ? over : await tx.subscriptions.of(accountId, { checkId });
  const ids = subscriptions.filter(({ activated }) => activated).map(({ channelId }) => channelId);
  const channels = ids.length === 0 ? [] : await tx.alertChannels.byIds(accountId, ids);
  return channels.sort((one, other) => one.id - other.id);
}

/** A failure opens the incident of the check, unless maintenance holds incidents back; a recovery resolves it. */
async function moveIncident(
  tx: StoreTransaction,
  { check, group }: Subject,
  { kind, at }: Alert,
): Promise<void> {
  const { accountId, id: checkId } = check;
  if (isRecovery(kind)) {
    await resolveIncident(tx, { accountId, checkId, at });
    return;
  }
  const trigger = check.body.triggerIncident;
  if (!trigger || (kind !== 'ALERT_FAILURE' && kind !== 'ALERT_DEGRADED_FAILURE')) return;
  const { serviceId = '' } = trigger;
  if (await suppressesIncidents(tx, accountId, { check, group, serviceId }, at)) return;
  await openIncident(tx, { accountId, checkId, trigger, at });
}
