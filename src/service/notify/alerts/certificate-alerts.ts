/** Alerts channels before a certificate expires: once for each channel, threshold and certificate. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { groupBy } from '../../../base/object.ts';
import type { CheckCertificate } from '../../../contract/measured-facts.ts';
import { isSilenced } from '../../maintenance/effects.ts';
import type { CheckLocationRecord } from '../../store/check-locations.ts';
import type { AlertChannelRecord, CheckRecord, Store, StoreTransaction } from '../../store/index.ts';
import { alertKey } from '../../store/sent-alerts.ts';
import { truncate } from '../channels/channel-type.ts';
import type { AlertFacts, PageLink } from '../facts/alert-facts.ts';
import { isActive, isMuted, loadSubject } from './alert-settings.ts';
import { enqueueToChannel } from './enqueue-to-channel.ts';
import { loadChannels } from './send-to-channels.ts';

const DAY_MS = 86_400_000;
/** The default, and the largest threshold of a channel. */
const MAX_THRESHOLD_DAYS = 30;
/** Time before the first search, so that the service starts quickly, and between two. */
const FIRST_SEARCH_MS = 60_000;
const SEARCH_INTERVAL_MS = 15 * 60_000;
const MAX_NAME_LENGTH = 255;

type Certified = CheckLocationRecord & { readonly certificate: CheckCertificate };

/** A certificate, the hosts that have it, and the checks of a channel that saw it. */
interface Expiry {
  readonly channel: AlertChannelRecord;
  readonly certificate: CheckCertificate;
  readonly hosts: Set<string>;
  readonly checks: Map<string, CheckRecord>;
}

/**
 * Enqueues the alerts that are due now. It depends only on what is stored: a service that was down sends them when it
 * returns. A certificate that has expired is left to the checks, which fail.
 */
export async function sendCertificateAlerts(store: Store, buildPageLink: PageLink): Promise<void> {
  const now = store.clock.now();
  const isSoon = (row: CheckLocationRecord): row is Certified =>
    row.certificate !== null &&
    row.certificate.expiresAt > now &&
    row.certificate.expiresAt <= now + MAX_THRESHOLD_DAYS * DAY_MS;
  const rows = (await store.checkLocations.withCertificate()).filter(isSoon);
  for (const [accountId, ofAccount] of groupBy(rows, (row) => row.accountId))
    await store.transaction((tx) => sendForAccount(tx, accountId, ofAccount, buildPageLink));
}

async function sendForAccount(
  tx: StoreTransaction,
  accountId: string,
  rows: readonly Certified[],
  buildPageLink: PageLink,
): Promise<void> {
  const now = tx.clock.now();
  const expiries = new Map<string, Expiry>();
  for (const [checkId, ofCheck] of groupBy(rows, (row) => row.checkId)) {
    const subject = await loadSubject(tx, accountId, checkId);
    if (subject === undefined || !isActive(subject) || isMuted(subject)) continue;
    if (await isSilenced(tx, accountId, subject, now)) continue;
    for (const channel of await loadChannels(tx, subject)) {
      const { sslExpiry = false, sslExpiryThreshold: days = MAX_THRESHOLD_DAYS } = channel.body;
      if (!sslExpiry) continue;
      for (const { certificate } of ofCheck) {
        if (certificate.expiresAt > now + days * DAY_MS) continue;
        const key = `${channel.id} ${days} ${certificate.fingerprint}`;
        const expiry = expiries.get(key) ?? { channel, certificate, hosts: new Set(), checks: new Map() };
        expiries.set(key, expiry);
        expiry.hosts.add(certificate.host);
        expiry.checks.set(checkId, subject.check);
      }
    }
  }
  for (const [key, expiry] of expiries) {
    const alertId = await findAlertId(tx, `${accountId} ${key}`, expiry.channel.id);
    if (alertId !== undefined) await send(tx, accountId, { alertId, buildPageLink }, expiry);
  }
}

/** Returns the ID of the alert to send: a new one each day as long as the last one failed. Undefined: none is due. */
async function findAlertId(
  tx: StoreTransaction,
  text: string,
  channelId: number,
): Promise<string | undefined> {
  for (let attempt = 0; attempt <= MAX_THRESHOLD_DAYS; attempt += 1) {
    const alertId = toAlertId(attempt === 0 ? text : `${text} ${attempt}`);
    const failedAt = await tx.outbox.failedAt(alertKey(alertId, channelId));
    if (failedAt === undefined) return alertId;
    if (failedAt === null || failedAt > tx.clock.now() - DAY_MS) return undefined;
  }
  return undefined;
}

/**
 * Returns the same UUID for the same alert: the outbox stores a key once. It remembers the key for 30 days, and the
 * certificate has expired by then.
 */
function toAlertId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
}

async function send(
  tx: StoreTransaction,
  accountId: string,
  { alertId, buildPageLink }: { readonly alertId: string; readonly buildPageLink: PageLink },
  { channel, certificate: { host: _, ...certificate }, hosts, checks }: Expiry,
): Promise<void> {
  const seenBy = [...checks.values()].sort((one, other) => one.createdAt - other.createdAt);
  const [check] = seenBy;
  if (check === undefined) return;
  const now = tx.clock.now();
  const facts: AlertFacts = {
    kind: 'ALERT_SSL',
    at: now,
    since: now,
    run: null,
    link: buildPageLink(`/checks/${check.id}`) ?? null,
    check: { id: check.id, name: truncate(check.name, MAX_NAME_LENGTH), type: check.type },
    groupName: null,
    tags: [],
    certificate: {
      ...certificate,
      hosts: [...hosts].sort(),
      checks: seenBy.map(({ name }) => truncate(name, MAX_NAME_LENGTH)),
    },
  };
  await enqueueToChannel(tx, channel, facts, {
    accountId,
    key: alertKey(alertId, channel.id),
    alert: { channelId: channel.id, checkId: check.id, type: facts.kind },
  });
}

/** Searches for certificates that expire soon, in the background. */
export function startCertificateAlerts({
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
    for (let waitMs = FIRST_SEARCH_MS; !signal.aborted; waitMs = SEARCH_INTERVAL_MS) {
      try {
        await clock.sleep(waitMs, signal);
        await sendCertificateAlerts(store, buildPageLink);
      } catch (error) {
        if (!signal.aborted) onError('cannot send alerts about certificates', error);
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
