/** Alerts the channels of an account, once, if a private location has no agent, and again when it has one. */
import type { Clock } from '../../../base/clock.ts';
import { isSilenced } from '../../maintenance/effects.ts';
import type { AlertChannelRecord, Store, StoreTransaction } from '../../store/index.ts';
import type { LocationContact, LocationOutage } from '../../store/location-outages.ts';
import { alertKey } from '../../store/sent-alerts.ts';
import { truncate } from '../channels/channel-type.ts';
import { type AlertFacts, type PageLink, wantsAlert } from '../facts/alert-facts.ts';
import { enqueueToChannel } from './enqueue-to-channel.ts';

/** Time without contact after which a location counts as without agents. Agents call at least every 45 seconds. */
const MISSING_MS = 60_000;
const SEARCH_INTERVAL_MS = 10_000;
/** A search that is this late, or a clock that jumps this far, says nothing about the agents. */
const DISTURBANCE_MS = 10_000;
const MAX_NAME_LENGTH = 255;

interface Context {
  readonly buildPageLink: PageLink;
  /** Since when the service could hear agents without a break, ms since the epoch. */
  readonly listensSince: number;
}

/**
 * Enqueues the alerts and recoveries that are due now. The stored outage makes each of them unique, also after a restart and
 * with several services.
 */
export async function sendLocationAlerts(store: Store, context: Context): Promise<void> {
  const now = store.clock.now();
  const outages = await store.locationOutages.open();
  const contacts = new Map((await store.locationOutages.contacts()).map((one) => [one.locationId, one]));
  for (const outage of outages) {
    const contact = contacts.get(outage.locationId);
    const isOver = contact === undefined || (contact.lastRunning ?? 0) > outage.alertedAt;
    if (isOver) await store.transaction((tx) => sendEnd(tx, outage, contact, context));
    contacts.delete(outage.locationId);
  }
  for (const contact of contacts.values()) {
    const isMissing = now - Math.max(contact.lastContact, context.listensSince) >= MISSING_MS;
    if (isMissing && contact.body.muted !== true)
      await store.transaction((tx) => sendBegin(tx, contact, context));
  }
}

async function sendBegin(tx: StoreTransaction, contact: LocationContact, context: Context): Promise<void> {
  const { accountId, locationId, body, lastContact } = contact;
  const now = tx.clock.now();
  // Only windows that silence all alerts apply: a location has neither tags nor a name that they match.
  if (await isSilenced(tx, accountId, { check: { name: '', body: {} } }, now)) return;
  const channels = (await listChannels(tx, accountId)).filter((channel) =>
    wantsAlert(channel.body, 'ALERT_LOCATION', false),
  );
  // The alert waits for a channel that tells somebody.
  if (channels.length === 0) return;
  const channelIds = channels.map(({ id }) => id);
  const outage: LocationOutage = {
    ...{ locationId, accountId, channelIds, since: lastContact, alertedAt: now },
    ...{ name: body.name, slug: body.slugName },
  };
  if (await tx.locationOutages.begin(outage))
    await send(tx, outage, { kind: 'ALERT_LOCATION' }, channels, context);
}

async function sendEnd(
  tx: StoreTransaction,
  outage: LocationOutage,
  contact: LocationContact | undefined,
  context: Context,
): Promise<void> {
  if (!(await tx.locationOutages.end(outage))) return;
  const channels = await tx.alertChannels.byIds(outage.accountId, [...outage.channelIds]);
  const wanting = channels.filter((channel) => wantsAlert(channel.body, 'ALERT_LOCATION_RECOVERY', true));
  const isDeleted = contact === undefined;
  await send(tx, outage, { kind: 'ALERT_LOCATION_RECOVERY', isDeleted }, wanting, context);
}

const PAGE_SIZE = 100;

async function listChannels(tx: StoreTransaction, accountId: string): Promise<AlertChannelRecord[]> {
  const all: AlertChannelRecord[] = [];
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const page = await tx.alertChannels.list(accountId, { offset, limit: PAGE_SIZE });
    all.push(...page);
    if (page.length < PAGE_SIZE) return all;
  }
}

async function send(
  tx: StoreTransaction,
  outage: LocationOutage,
  { kind, isDeleted = false }: { readonly kind: AlertFacts['kind']; readonly isDeleted?: boolean },
  channels: readonly AlertChannelRecord[],
  { buildPageLink }: Context,
): Promise<void> {
  const { locationId, accountId, name, slug, since } = outage;
  const alertId = tx.random.uuid();
  const facts: AlertFacts = {
    ...{ kind, since, at: tx.clock.now(), run: null, groupName: null, tags: [] },
    link: buildPageLink('/') ?? null,
    check: { id: locationId, name: truncate(name, MAX_NAME_LENGTH), type: 'PRIVATE_LOCATION' },
    location: { name, slug, isDeleted },
  };
  for (const channel of channels)
    await enqueueToChannel(tx, channel, facts, {
      accountId,
      key: alertKey(alertId, channel.id),
      lane: `alert/${locationId}/${channel.id}`,
      alert: { channelId: channel.id, checkId: null, type: kind },
    });
}

/** Searches for private locations without agents, in the background. */
export function startLocationAlerts({
  store,
  clock,
  onError,
  buildPageLink,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly onError: (message: string, error: unknown) => void;
  readonly buildPageLink: PageLink;
}): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  async function run(): Promise<void> {
    let listensSince = clock.now();
    let last = { at: clock.now(), monotonic: clock.monotonic() };
    while (!signal.aborted) {
      try {
        await clock.sleep(SEARCH_INTERVAL_MS, signal);
        const here = { at: clock.now(), monotonic: clock.monotonic() };
        const elapsed = here.monotonic - last.monotonic;
        const jump = Math.abs(here.at - last.at - elapsed);
        last = here;
        // After a pause of the process or a step of the clock, the stored contacts are old for all locations.
        if (elapsed > SEARCH_INTERVAL_MS + DISTURBANCE_MS || jump > DISTURBANCE_MS) listensSince = here.at;
        await sendLocationAlerts(store, { buildPageLink, listensSince });
      } catch (error) {
        if (signal.aborted) return;
        // Without the database, no contact was stored.
        listensSince = clock.now();
        onError('cannot send alerts about private locations', error);
      }
    }
  }
  const loop = run();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
