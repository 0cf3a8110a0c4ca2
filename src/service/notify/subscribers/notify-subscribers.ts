/** Notifies the subscribers of status pages by e-mail or webhook, through the outbox. */
import type { StatusPageRecord, Store, StoreTransaction } from '../../store/index.ts';
import { hiddenServices, visibleServiceIds } from '../../store/visible-services.ts';
import type { Notice } from './messages.ts';

export const LANE_PREFIX = 'subscriber/';

/** Returns whether to send a message of a lane: false if the recipient unsubscribed or lost access to the page. */
export const isRecipientSubscribed = async (
  { subscribers }: Pick<Store, 'subscribers'>,
  lane: string,
): Promise<boolean> =>
  !lane.startsWith(LANE_PREFIX) || (await subscribers.isActive(lane.slice(LANE_PREFIX.length)));

/** Returns the pages that show a notice. */
async function filterPages(
  tx: StoreTransaction,
  { accountId, services, pages = [] }: Notice,
): Promise<readonly StatusPageRecord[]> {
  const all = await tx.statusPages.list(accountId);
  if (pages.length > 0) return all.filter(({ id }) => pages.includes(id));
  if (services === 'all' || services === 'none') return all;
  const hidden = hiddenServices(await tx.services.byIds(accountId, services));
  return all.filter((page) => visibleServiceIds(page, hidden).some((id) => services.includes(id)));
}

/**
 * Stores a notice in the caller's transaction. After the commit, `expandNotices` enqueues a message to each subscriber of the
 * pages that show it now, in batches: a page may have thousands of subscribers.
 */
export async function notifySubscribers(tx: StoreTransaction, notice: Notice): Promise<void> {
  const pages = (await filterPages(tx, notice)).map(({ id }) => id);
  if (pages.length === 0) return;
  await tx.notices.add(notice.accountId, JSON.stringify({ ...notice, pages }));
  tx.onCommit(() => tx.outboxSignal.wake());
}
