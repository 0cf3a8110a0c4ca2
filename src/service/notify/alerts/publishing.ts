/** What is written: messages to the channels that want an alert, and the incident of a check. */

import { suppressesIncidents } from '../../maintenance/index.ts';
import type { AlertChannelRecord, StoreTransaction } from '../../store/index.ts';
import { openIncident, resolveIncident } from '../incidents/index.ts';
import { enqueue } from '../outbox/index.ts';
import { clipped, messageFor } from './channels.ts';
import type { Alert } from './escalation.ts';
import type { AlertFacts, RunFacts } from './facts.ts';
import { wants } from './kinds.ts';
import type { Subject } from './subject.ts';

/** So much of a name or a tag, and so many tags, are sent. */
const LONGEST_LABEL = 255;
const MOST_TAGS = 100;

/** Sends an alert to the channels that want it. */
export async function sendToChannels(
  tx: StoreTransaction,
  subject: Subject,
  alert: Alert,
  run: RunFacts | null,
  link: string | null,
): Promise<void> {
  const { check, group } = subject;
  const facts: AlertFacts = {
    ...{ kind: alert.kind, at: alert.at, since: alert.since, run, link },
    check: { id: check.id, name: clipped(check.name, LONGEST_LABEL), type: check.type },
    groupName: group ? clipped(group.body.name, LONGEST_LABEL) : null,
    tags: (check.body.tags ?? []).slice(0, MOST_TAGS).map((tag) => clipped(tag, LONGEST_LABEL)),
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
  const over = group === undefined ? [] : await tx.subscriptions.ofTarget(accountId, { groupId: group.id });
  const subscriptions = over.length > 0 ? over : await tx.subscriptions.ofTarget(accountId, { checkId });
  const ids = subscriptions.filter(({ activated }) => activated).map(({ channelId }) => channelId);
  const channels = ids.length === 0 ? [] : await tx.alertChannels.byIds(accountId, ids);
  return channels.sort((one, other) => one.id - other.id);
}

/** Whether maintenance holds back the check's incident now, or did at any time since the run started that failed. */
export async function isIncidentHeld(
  tx: StoreTransaction,
  { check, group }: Subject,
  at: number,
  since: number | undefined,
): Promise<boolean> {
  const serviceId = check.body.triggerIncident?.serviceId;
  if (serviceId === undefined) return false;
  return suppressesIncidents(tx, check.accountId, { check, group, serviceId }, at, since);
}

/** Opens the incident of a check, where its trigger asks for one, or resolves it. */
export async function moveIncident(
  tx: StoreTransaction,
  { check }: Subject,
  move: 'open' | 'resolve',
  at: number,
): Promise<void> {
  const { accountId, id: checkId } = check;
  const trigger = check.body.triggerIncident;
  if (move === 'resolve') await resolveIncident(tx, { accountId, checkId, at });
  else if (trigger) await openIncident(tx, { accountId, checkId, trigger, at });
}
