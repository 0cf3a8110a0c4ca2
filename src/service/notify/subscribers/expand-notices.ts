/** Enqueues the messages of notices to subscribers, a batch at a time, so that nothing else waits for a large page. */
import { createCapability } from '../../engine/sessions/capability.ts';
import type { PendingNotice, Store, StoreTransaction, Subscriber } from '../../store/index.ts';
import { hiddenServices, visibleServiceIds } from '../../store/visible-services.ts';
import { enqueue, getDestination, type OutgoingMessage } from '../facts/message.ts';
import {
  buildSubscriberLinks,
  createNoticePayload,
  createWebhook,
  type Notice,
  type NoticeContext,
  renderNoticeEmail,
} from './messages.ts';
import { LANE_PREFIX } from './notify-subscribers.ts';

/** Number of messages in a transaction. */
const BATCH = 50;
/** Number of due messages of an account at which its notices wait: the outbox stays small. */
const MOST_WAITING = 200;

/**
 * Enqueues one batch of messages. Returns whether there may be more now. Notices of an account follow each other, and accounts
 * take turns. The batch and its place are stored in one transaction, so that a kill neither loses nor repeats a message.
 */
export const expandNotices = (store: Pick<Store, 'transaction'>): Promise<boolean> =>
  store.transaction(
    async (tx) => {
      const pending = await tx.notices.next(MOST_WAITING);
      if (pending === undefined) return false;
      const notice = JSON.parse(pending.body) as Notice;
      const recipients = await tx.notices.recipients(pending, notice.pages ?? [], BATCH);
      await enqueueMessages(tx, pending, notice, recipients);
      const last = recipients.at(-1);
      await (last === undefined || recipients.length < BATCH
        ? tx.notices.delete(pending.id)
        : tx.notices.advance(pending.id, last.id));
      return true;
    },
    // The row lock is enough, and the scheduler changes the outbox meanwhile.
    { isolation: 'read committed' },
  );

async function enqueueMessages(
  tx: StoreTransaction,
  { accountId }: PendingNotice,
  notice: Notice,
  recipients: readonly Subscriber[],
): Promise<void> {
  if (recipients.length === 0) return;
  const pages = new Map((await tx.statusPages.list(accountId)).map((page) => [page.id, page]));
  const all = await tx.services.list(accountId);
  const names = new Map(all.map(({ id, body }) => [id, body.name]));
  const hidden = hiddenServices(all);
  const base = (await tx.settings.publicUrl()) ?? '';
  const secret = await tx.settings.linkSecret();
  const { services } = notice;
  const isAffected = (id: string) => services === 'all' || (services !== 'none' && services.includes(id));
  for (const subscriber of recipients) {
    const page = pages.get(subscriber.pageId);
    if (page === undefined) continue;
    const affected = visibleServiceIds(page, hidden).filter(isAffected);
    const capability = createCapability(secret, 'unsubscribe', subscriber.id);
    const links = buildSubscriberLinks(base, page.body.url, subscriber.id, capability);
    const context = { notice, page, services: affected.flatMap((id) => names.get(id) ?? []), ...links };
    await enqueue(tx, toOutgoing(subscriber, context));
  }
}

function toOutgoing({ id, kind, address }: Subscriber, context: NoticeContext): OutgoingMessage {
  const { accountId, key } = context.notice;
  const message =
    kind === 'EMAIL'
      ? renderNoticeEmail(address, context)
      : createWebhook(address, createNoticePayload(context));
  return {
    accountId,
    message,
    key: `${key}/${id}`,
    // One lane per subscriber keeps the order of notices.
    lane: LANE_PREFIX + id,
    isDeferred: true,
    // Separate from alerts, which have connections to the same server for themselves.
    destination: `notices (${getDestination(message)})`,
  };
}
