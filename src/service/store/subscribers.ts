/** Stores the subscribers of status pages, who must confirm before they get notifications, and limits their requests. */
import { type Selection, type SqlBool, sql } from 'kysely';
import { normalizeEmail } from '../../base/addresses.ts';
import type { Database, StoreContext } from './context.ts';
import { hashOf, makeSecretText } from './secrets.ts';

/** The address is an e-mail address, or the URL of a webhook. `confirmedAt` is null if not confirmed yet. */
export const COLUMNS = [
  'page_subscribers.id',
  'page_subscribers.page_id as pageId',
  'kind',
  'address',
  'confirmed_at as confirmedAt',
] as const;

export type Subscriber = Readonly<Selection<Database, 'page_subscribers', (typeof COLUMNS)[number]>>;
export type SubscriberKind = Subscriber['kind'];

/** A subscription as its account sees it. `askedAt`: the last request, ms since the epoch. */
export interface PageSubscription extends Subscriber {
  readonly askedAt: number;
  /** Whether the subscriber has access to the page now. */
  readonly hasAccess: boolean;
}

/** Maximum number of confirmed subscribers of a page. Requests that nobody confirms do not count: strangers may make them. */
export const MAX_PAGE_SUBSCRIBERS = 10_000;
/** Number of subscriptions that are read at once. */
const CHUNK_ROWS = 500;

/** How long a confirmation link is valid, in ms. */
const CONFIRM_WITHIN_MS = 48 * 60 * 60 * 1000;
/** Minimum time between two confirmation messages to an address, in ms. */
const MIN_REQUEST_INTERVAL_MS = 10 * 60 * 1000;

const joined = (db: StoreContext['db']) =>
  db
    .selectFrom('page_subscribers')
    .leftJoin('status_page_access as access', 'access.page_id', 'page_subscribers.page_id');

/** Selects subscribers with access to their page: for a private page, those who subscribed with its current key. */
export const withAccess = (db: StoreContext['db']) =>
  joined(db).where((to) =>
    to.or([
      to('access.is_private', 'is', null),
      to('access.is_private', '=', 0),
      to('access.key_hash', '=', to.ref('page_subscribers.key_hash')),
    ]),
  );

export function subscribers(context: StoreContext) {
  const { clock, random } = context;
  const confirmable = (db: StoreContext['db'], token: string) =>
    withAccess(db)
      .where('confirm_hash', '=', hashOf(token))
      .where('asked_at', '>', clock.now() - CONFIRM_WITHIN_MS);
  /** Deletes addresses that nobody confirmed in time: strangers may have entered them. */
  const deleteUnconfirmed = async (db: StoreContext['db']): Promise<void> => {
    const unconfirmed = db.deleteFrom('page_subscribers').where('confirmed_at', 'is', null);
    await unconfirmed.where('asked_at', '<', clock.now() - CONFIRM_WITHIN_MS).execute();
  };
  return {
    /** Deletes the subscriptions that nobody confirmed in time. */
    deleteUnconfirmed: () => deleteUnconfirmed(context.db),
    /**
     * Records a request to subscribe; undefined if the address was written to just before. Returns the recipient, and the token
     * to confirm with, which is undefined if already confirmed. `keyHash`: hash of the key that the page was opened with, null
     * for a public page.
     */
    requestSubscription: (
      pageId: string,
      kind: SubscriberKind,
      address: string,
      keyHash: string | null = null,
    ) =>
      context.atomically(async ({ db }) => {
        const now = clock.now();
        const canonical = kind === 'EMAIL' ? normalizeEmail(address) : address;
        const existing = await db
          .selectFrom('page_subscribers')
          .select([...COLUMNS, 'asked_at'])
          .where('page_id', '=', pageId)
          .where('kind', '=', kind)
          .where('canonical', '=', canonical)
          .executeTakeFirst();
        if (existing !== undefined && now - existing.asked_at < MIN_REQUEST_INTERVAL_MS) return undefined;
        if (existing?.confirmedAt != null) {
          await db
            .updateTable('page_subscribers')
            .set({ asked_at: now, key_hash: keyHash })
            .where('id', '=', existing.id)
            .execute();
          const { asked_at: _, ...subscriber } = existing;
          return { subscriber, token: undefined };
        }
        await deleteUnconfirmed(db);
        const token = makeSecretText();
        const subscriber = await db
          .insertInto('page_subscribers')
          .values({
            id: random.uuid(),
            page_id: pageId,
            kind,
            address,
            canonical,
            confirm_hash: hashOf(token),
            asked_at: now,
            confirmed_at: null,
            key_hash: keyHash,
          })
          .onConflict((conflict) =>
            conflict
              .columns(['page_id', 'kind', 'canonical'])
              .doUpdateSet({ address, confirm_hash: hashOf(token), asked_at: now, key_hash: keyHash }),
          )
          .returning(COLUMNS)
          .executeTakeFirstOrThrow();
        return { subscriber, token };
      }),
    /**
     * Subscribes an address for the owner of a page; undefined if it is subscribed, or was asked to confirm. Returns the token to
     * confirm with, which is undefined if `isConfirmed`. `keyHash`: hash of the key of a private page, null for a public one.
     */
    add: (
      pageId: string,
      address: string,
      { isConfirmed, keyHash }: { readonly isConfirmed: boolean; readonly keyHash: string | null },
    ) =>
      context.atomically(async ({ db }) => {
        await deleteUnconfirmed(db);
        const now = clock.now();
        const token = isConfirmed ? undefined : makeSecretText();
        const subscriber = await db
          .insertInto('page_subscribers')
          .values({
            id: random.uuid(),
            page_id: pageId,
            kind: 'EMAIL',
            address,
            canonical: normalizeEmail(address),
            confirm_hash: token === undefined ? null : hashOf(token),
            asked_at: now,
            confirmed_at: isConfirmed ? now : null,
            key_hash: keyHash,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returning(COLUMNS)
          .executeTakeFirst();
        return subscriber && { subscriber, token };
      }),
    /** Yields all subscriptions of a page in chunks, newest request first. */
    async *ofPage(pageId: string): AsyncGenerator<PageSubscription[]> {
      let last: PageSubscription | undefined;
      do {
        let query = joined(context.db)
          .select([...COLUMNS, 'asked_at as askedAt', 'page_subscribers.key_hash as keyHash'])
          .select(['access.is_private as isPrivate', 'access.key_hash as accessHash'])
          .where('page_subscribers.page_id', '=', pageId)
          .where((to) =>
            to.or([to('confirmed_at', 'is not', null), to('asked_at', '>', clock.now() - CONFIRM_WITHIN_MS)]),
          );
        if (last !== undefined)
          query = query.where(sql<SqlBool>`(asked_at, page_subscribers.id) < (${last.askedAt}, ${last.id})`);
        const rows = await query
          .orderBy('asked_at', 'desc')
          .orderBy('page_subscribers.id', 'desc')
          .limit(CHUNK_ROWS)
          .execute();
        const chunk = rows.map(({ isPrivate, keyHash, accessHash, ...row }) => ({
          ...row,
          hasAccess: isPrivate !== 1 || keyHash === accessHash,
        }));
        yield chunk;
        last = chunk.length === CHUNK_ROWS ? chunk.at(-1) : undefined;
      } while (last !== undefined);
    },
    /** Deletes a subscription of a page; false if the page has no such subscription. */
    async removeFrom(pageId: string, id: string): Promise<boolean> {
      const query = context.db.deleteFrom('page_subscribers').where('page_id', '=', pageId);
      return (await query.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Returns the subscriber of a valid confirmation link, without confirming. */
    confirmable: (token: string): Promise<Subscriber | undefined> =>
      confirmable(context.db, token).select(COLUMNS).executeTakeFirst(),
    /** Returns the number of addresses that can still subscribe to a page. */
    async places(pageId: string): Promise<number> {
      const query = context.db
        .selectFrom('page_subscribers')
        .select((to) => to.fn.countAll<number>().as('count'));
      const confirmed = query.where('page_id', '=', pageId).where('confirmed_at', 'is not', null);
      return Math.max(0, MAX_PAGE_SUBSCRIBERS - (await confirmed.executeTakeFirstOrThrow()).count);
    },
    /** Confirms with a token, once. Undefined if the token is wrong, used or expired, or the subscriber has lost access to the page. */
    confirm: (token: string): Promise<Subscriber | undefined> =>
      context.db
        .updateTable('page_subscribers')
        .set({ confirm_hash: null, confirmed_at: clock.now() })
        .where('id', 'in', confirmable(context.db, token).select('page_subscribers.id'))
        .returning(COLUMNS)
        .executeTakeFirst(),
    /** Deletes a subscriber, and returns it; undefined if it does not exist. */
    remove: (id: string): Promise<Subscriber | undefined> =>
      context.db.deleteFrom('page_subscribers').where('id', '=', id).returning(COLUMNS).executeTakeFirst(),
    get: (id: string): Promise<Subscriber | undefined> =>
      context.db.selectFrom('page_subscribers').select(COLUMNS).where('id', '=', id).executeTakeFirst(),
    /** Returns whether a subscriber is confirmed and has access to the page now. */
    async isActive(id: string): Promise<boolean> {
      const query = withAccess(context.db)
        .select('page_subscribers.id')
        .where('page_subscribers.id', '=', id);
      return (await query.where('confirmed_at', 'is not', null).executeTakeFirst()) !== undefined;
    },
  };
}

/** How long a request counts, in ms. */
export const REQUEST_WINDOW_MS = 10 * 60 * 1000;

/**
 * Limits in that time. `perSource`: requests of one client, across all pages. `open`: messages for one page without a limit by
 * network; beyond it, each network may cause one. `most`: messages for one page.
 */
export const SUBSCRIPTION_LIMITS = { perSource: 10, open: 100, most: 1000 } as const;

/** A request, with keyed hashes of its client, network and mailbox. */
interface SubscriptionRequest {
  readonly pageId: string;
  readonly source: string;
  readonly network: string;
  readonly mailbox: string;
}

/** Limits requests to subscribe to status pages, by client, mailbox and page, over ten minutes. */
export function subscriptionRequests({ atomically, clock, random }: StoreContext) {
  return {
    /**
     * Counts a request, unless it exceeds a limit. Returns `write`: send a message; `quiet`: send none, as the mailbox had one
     * just before; otherwise the limit that is reached.
     */
    admit: ({ pageId, source, network, mailbox }: SubscriptionRequest) =>
      atomically(async ({ db }): Promise<'write' | 'quiet' | 'source' | 'page'> => {
        const { perSource, open, most } = SUBSCRIPTION_LIMITS;
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
        const sentTo = again > 0 ? null : mailbox;
        await db
          .insertInto('subscription_requests')
          .values({ id: random.uuid(), page_id: pageId, source, network, asked_at: now, mailbox: sentTo })
          .execute();
        return again > 0 ? 'quiet' : 'write';
      }),
  };
}
