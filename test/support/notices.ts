/** Expands notices to subscribers, as the sender of a service does. */
import { expandNotices } from '../../src/service/notify/subscribers/expand-notices.ts';
import type { Store } from '../../src/service/store/index.ts';

/** Enqueues the messages of all notices, as far as the outbox has room for them. */
export async function expandAll(store: Store): Promise<void> {
  while (await expandNotices(store));
}
