/** Notifies the subscribers of status pages by e-mail or webhook, through the outbox. */
import { createCapability } from '../../engine/capability.ts';
import type { StatusPageRecord, Store, StoreTransaction, Subscriber } from '../../store/index.ts';
import { enqueue } from '../outbox/message.ts';
import {
  buildSubscriberLinks,
  createNoticePayload,
  createWebhook,
  type Notice,
  renderNoticeEmail,
} from './messages.ts';

const LANE_PREFIX = 'subscriber/';

/** Returns whether to send a message of a lane: false if the recipient unsubscribed or lost access to the page. */
export const isRecipientSubscribed = async (
  { subscribers }: Pick<Store, 'subscribers'>,
  lane: string,
): Promise<boolean> =>
  !lane.startsWith(LANE_PREFIX) || (await subscribers.isActive(lane.slice(LANE_PREFIX.length)));

const getPageServices = ({ body }: StatusPageRecord): string[] =>
  body.cards.flatMap(({ services }) => services.map(({ id }) => id));

/** Returns the pages that show a notice. */
function filterPages(all: readonly StatusPageRecord[], { services, pages = [] }: Notice): StatusPageRecord[] {
  if (pages.length > 0) return all.filter(({ id }) => pages.includes(id));
  if (services === 'all' || services === 'none') return [...all];
  return all.filter((page) => getPageServices(page).some((id) => services.includes(id)));
}

/**
 * Enqueues a message to each confirmed subscriber of the pages that show a notice, in the caller's transaction. Returns
 * the number of messages.
 */
export async function notifySubscribers(tx: StoreTransaction, notice: Notice): Promise<number> {
  const pages = new Map(
    filterPages(await tx.statusPages.list(notice.accountId), notice).map((page) => [page.id, page]),
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
    const pageServices = getPageServices(page);
    const { services } = notice;
    const affected = pageServices.filter(
      (id) => services === 'all' || (services !== 'none' && services.includes(id)),
    );
    const context = {
      notice,
      page,
      services: [...new Set(affected)].flatMap((id) => names.get(id) ?? []),
      ...buildSubscriberLinks(
        base,
        page.body.url,
        subscriber.id,
        createCapability(secret, 'unsubscribe', subscriber.id),
      ),
    };
    await send(tx, notice, subscriber, context);
  }
  return subscribers.length;
}

async function send(
  tx: StoreTransaction,
  { accountId, key }: Notice,
  { id, kind, address }: Subscriber,
  context: Parameters<typeof renderNoticeEmail>[1],
): Promise<void> {
  await enqueue(tx, {
    accountId,
    key: `${key}/${id}`,
    // One lane per subscriber keeps the order of notices.
    lane: LANE_PREFIX + id,
    message:
      kind === 'EMAIL'
        ? renderNoticeEmail(address, context)
        : createWebhook(address, createNoticePayload(context)),
  });
}
