/** Limits requests to subscribe to status pages, by client, mailbox and page, over ten minutes. */
import type { StoreContext } from './context.ts';

/** How long a request counts, in ms. */
export const REQUEST_WINDOW_MS = 10 * 60 * 1000;

export interface SubscriptionLimits {
  /** Requests of one client, across all pages. */
  readonly perSource: number;
  /** Messages for one page without a limit by network. Beyond it, each network may cause one. */
  readonly open: number;
  /** Maximum messages for one page. */
  readonly most: number;
}

export const SUBSCRIPTION_LIMITS: SubscriptionLimits = { perSource: 10, open: 100, most: 1000 };

/** A request, with keyed hashes of its client, network and mailbox. */
export interface SubscriptionRequest {
  readonly pageId: string;
  readonly source: string;
  readonly network: string;
  readonly mailbox: string;
}

/** `write`: send a message; `quiet`: send none, as the mailbox had one just before; otherwise the limit that is reached. */
export type Admission = 'write' | 'quiet' | 'source' | 'page';

export function subscriptionRequests({ atomically, clock, random }: StoreContext) {
  return {
    /** Counts a request, unless it exceeds a limit. */
    admit: (
      { pageId, source, network, mailbox }: SubscriptionRequest,
      { perSource, open, most } = SUBSCRIPTION_LIMITS,
    ): Promise<Admission> =>
      atomically(async ({ db }) => {
        const now = clock.now();
        // Requests from the future, made before the clock was set back, would count forever.
        await db
          .deleteFrom('subscription_requests')
          .where((to) => to.or([to('asked_at', '<=', now - REQUEST_WINDOW_MS), to('asked_at', '>', now)]))
          .execute();
        const count = db
          .selectFrom('subscription_requests')
          .select((to) => to.fn.countAll<number>().as('count'));
        const { count: ofSource } = await count.where('source', '=', source).executeTakeFirstOrThrow();
        if (ofSource >= perSource) return 'source';
        const onPage = count.where('page_id', '=', pageId);
        const { count: written } = await onPage.where('mailbox', 'is not', null).executeTakeFirstOrThrow();
        if (written >= most) return 'page';
        if (written >= open) {
          const { count: ofNetwork } = await onPage.where('network', '=', network).executeTakeFirstOrThrow();
          if (ofNetwork > 0) return 'page';
        }
        const { count: again } = await count.where('mailbox', '=', mailbox).executeTakeFirstOrThrow();
        await db
          .insertInto('subscription_requests')
          .values({
            id: random.uuid(),
            page_id: pageId,
            source,
            network,
            asked_at: now,
            mailbox: again > 0 ? null : mailbox,
          })
          .execute();
        return again > 0 ? 'quiet' : 'write';
      }),
  };
}
