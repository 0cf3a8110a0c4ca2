/** Tells who subscribed to a page what happens on it: an e-mail or a webhook each, through the outbox. */
import { capability } from '../../engine/capability.ts';
import type { StatusPageRecord, Store, StoreTransaction, Subscriber } from '../../store/index.ts';
import { enqueue } from '../outbox/index.ts';
import { addressesOf } from './addresses.ts';
import { noticeMail, noticePayload, webhookOf } from './messages.ts';
import type { Notice } from './notice.ts';

/** What the lane of a subscriber's messages begins with. */
const LANE = 'subscriber/';

/** Whether a message of a lane may still leave: who has unsubscribed since, or whose page is gone or closed to them, is told nothing. */
export const isStillWanted = async (
  { subscribers }: Pick<Store, 'subscribers'>,
  lane: string,
): Promise<boolean> => !lane.startsWith(LANE) || (await subscribers.isActive(lane.slice(LANE.length)));

const servicesOf = ({ body }: StatusPageRecord): string[] =>
  body.cards.flatMap(({ services }) => services.map(({ id }) => id));

/** The pages that a notice is shown on. */
function pagesOf(all: readonly StatusPageRecord[], { services, pages = [] }: Notice): StatusPageRecord[] {
  if (pages.length > 0) return all.filter(({ id }) => pages.includes(id));
  if (services === 'all' || services === 'none') return [...all];
  return all.filter((page) => servicesOf(page).some((id) => services.includes(id)));
}

/**
 * Writes a message to each confirmed subscriber of the pages that a notice is shown on, in the caller's transaction:
 * they leave after its commit. How many there were.
 */
export async function tellSubscribers(tx: StoreTransaction, notice: Notice): Promise<number> {
  const pages = new Map(
    pagesOf(await tx.statusPages.list(notice.accountId), notice).map((page) => [page.id, page]),
  );
  const subscribers = await tx.subscribers.confirmed([...pages.keys()]);
  if (subscribers.length === 0) return 0;
  const names = new Map(
    (await tx.services.list(notice.accountId)).map(({ id, body }): [string, string] => [id, body.name]),
  );
  const base = (await tx.settings.publicUrl()) ?? '';
  const secret = await tx.settings.linkSecret();
  for (const subscriber of subscribers) {
    const page = pages.get(subscriber.pageId);
    if (page === undefined) continue;
    const carried = servicesOf(page);
    const { services } = notice;
    const meant = carried.filter(
      (id) => services === 'all' || (services !== 'none' && services.includes(id)),
    );
    const told = {
      ...{ notice, page },
      services: [...new Set(meant)].flatMap((id) => names.get(id) ?? []),
      ...addressesOf(base, page.body.url, subscriber.id, capability(secret, 'unsubscribe', subscriber.id)),
    };
    await send(tx, notice, subscriber, told);
  }
  return subscribers.length;
}

async function send(
  tx: StoreTransaction,
  { accountId, key }: Notice,
  { id, kind, address }: Subscriber,
  told: Parameters<typeof noticeMail>[1],
): Promise<void> {
  await enqueue(tx, {
    accountId,
    key: `${key}/${id}`,
    // What is said later of the same thing comes later.
    lane: LANE + id,
    message: kind === 'EMAIL' ? noticeMail(address, told) : webhookOf(address, noticePayload(told)),
  });
}
