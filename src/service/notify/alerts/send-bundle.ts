/** Lets alerts of a group or service wait for each other, and enqueues them as one message for a channel. */
import { groupBundle, serviceBundle } from '../../store/bundle-members.ts';
import type { AlertChannelRecord, StoreTransaction } from '../../store/index.ts';
import type { BundleKey } from '../../store/pending-alerts.ts';
import { alertKey } from '../../store/sent-alerts.ts';
import { type AlertFacts, getTone, isRecovery, type PageLink } from '../facts/alert-facts.ts';
import type { AlertSubject } from './alert-settings.ts';
import { combineFacts, type PendingAlert, splitIntoMessages } from './bundle.ts';
import { enqueueToChannel } from './enqueue-to-channel.ts';

/** Longest time that an alert waits for others, in ms. */
export const BUNDLE_MS = 60_000;

/** Types of channels whose receivers read each alert: programs, and tools that resolve the incident of each check. */
const UNBUNDLED: ReadonlySet<string> = new Set(['WEBHOOK', 'PAGERDUTY', 'OPSGENIE']);

/** Returns the name of the bundle of a check's alerts to a channel; undefined: they are sent at once. */
export function bundleOf({ check, group }: AlertSubject, { body }: AlertChannelRecord): string | undefined {
  if (UNBUNDLED.has(body.type)) return undefined;
  const serviceId = check.body.triggerIncident?.serviceId;
  if (group !== undefined) return groupBundle(group.id);
  return serviceId === undefined ? undefined : serviceBundle(serviceId);
}

export interface BundleContext {
  readonly buildPageLink: PageLink;
  /** Called after the commit with the next due time. */
  readonly onDue: (instant: number) => void;
}

/** Adds an alert, and sends the bundle if nothing more is expected. Calls `onDue` after the commit otherwise. */
export async function addToBundle(
  tx: StoreTransaction,
  key: BundleKey,
  alert: PendingAlert,
  context: BundleContext,
): Promise<void> {
  const now = tx.clock.now();
  const dueAt = now + BUNDLE_MS;
  await tx.pendingAlerts.add({ ...key, checkId: alert.facts.check.id, alert: JSON.stringify(alert), dueAt });
  const isComplete = await sendIfComplete(tx, { ...key, since: now }, context);
  if (!isComplete) tx.onCommit(() => context.onDue(dueAt));
}

/** Sends a bundle once each of its active checks has reported since the first alert. Returns whether it was sent. */
export async function sendIfComplete(
  tx: StoreTransaction,
  { since, ...key }: BundleKey & { readonly since: number },
  context: Pick<BundleContext, 'buildPageLink'>,
): Promise<boolean> {
  if (await tx.pendingAlerts.awaitsReports(key, since)) return false;
  await sendBundle(tx, key, context);
  return true;
}

/** The home page with the checks that a message is about. */
const checksPath = ({ kind }: AlertFacts): string =>
  isRecovery(kind) ? '/' : `/?status=${getTone({ kind }) === 'bad' ? 'failing' : 'degraded'}`;

/** Enqueues the waiting alerts of a bundle. Another service may have done it meanwhile. */
export async function sendBundle(
  tx: StoreTransaction,
  key: BundleKey,
  { buildPageLink }: Pick<BundleContext, 'buildPageLink'>,
): Promise<void> {
  const { accountId, bundle, channelId } = key;
  const alerts = (await tx.pendingAlerts.take(key)).map((text) => JSON.parse(text) as PendingAlert);
  const [channel] = await tx.alertChannels.byIds(accountId, [channelId]);
  if (channel === undefined) return;
  for (const [first, ...others] of splitIntoMessages(alerts)) {
    if (first === undefined) continue;
    const isAlone = others.length === 0;
    const combined = combineFacts([first, ...others], await bundleName(tx, first, key));
    const facts = isAlone ? combined : { ...combined, link: buildPageLink(checksPath(combined)) ?? null };
    const enqueued = await enqueueToChannel(tx, channel, facts, {
      accountId,
      key: alertKey(isAlone ? first.id : tx.random.uuid(), channelId),
      lane: `alert/${bundle}/${channelId}`,
      alert: {
        ...{ channelId, type: facts.kind },
        ...(isAlone ? { checkId: facts.check.id, run: facts.run } : { checkId: null }),
      },
    });
    const parts = [first, ...others].map(({ id, facts: { check, kind, run } }) => ({
      ...{ checkId: check.id, alertId: id, alertType: kind, run: run && JSON.stringify(run) },
    }));
    for (const { key: idempotencyKey, isNew } of isAlone ? [] : enqueued)
      if (isNew) await tx.pendingAlerts.recordMessage(idempotencyKey, parts);
  }
}

async function bundleName(
  tx: StoreTransaction,
  { facts: { groupName } }: PendingAlert,
  { accountId, bundle }: BundleKey,
): Promise<string> {
  if (groupName !== null) return groupName;
  const service = await tx.services.get(accountId, bundle.slice(bundle.indexOf('/') + 1));
  return service?.body.name ?? 'a service';
}
