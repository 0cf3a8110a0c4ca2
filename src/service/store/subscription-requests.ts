/** Requests to subscribe of the last ten minutes: what one client, one mailbox and one page may still have. */
import type { StoreContext } from './context.ts';

/** How long a request counts, in ms. */
export const REQUEST_WINDOW_MS = 10 * 60 * 1000;

export interface SubscriptionLimits {
  /** Requests of one client, over all pages. */
  readonly perSource: number;
  /** Messages for one page that anybody may cause. Beyond it, each network may cause one. */
  readonly open: number;
  /** Messages for one page, whoever causes them. */
  readonly most: number;
}

export const SUBSCRIPTION_LIMITS: SubscriptionLimits = { perSource: 10, open: 100, most: 1000 };

/** A request, with keyed hashes of whom it is from and for. */
export interface SubscriptionRequest {
  readonly pageId: string;
  readonly source: string;
  readonly network: string;
  readonly mailbox: string;
}

/** `write`: a message may leave; `quiet`: the mailbox had one just before; else whose limit is reached. */
export type Admission = 'write' | 'quiet' | 'source' | 'page';

export function subscriptionRequests({ atomically, clock, random }: StoreContext) {
  return {
    /** Counts a request, unless it is refused. */
    admit: (
      { pageId, source, network, mailbox }: SubscriptionRequest,
      { perSource, open, most } = SUBSCRIPTION_LIMITS,
    ): Promise<Admission> =>
      atomically(async ({ db }) => {
        const now = clock.now();
        // Also those of a clock that was set back since: they would count for ever.
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
            ...{ id: random.uuid(), page_id: pageId, source, network, asked_at: now },
            mailbox: again > 0 ? null : mailbox,
          })
          .execute();
        return again > 0 ? 'quiet' : 'write';
      }),
  };
}
