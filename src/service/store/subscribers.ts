/** Stores the subscribers of status pages, who must confirm before they get notifications. */
import type { Selectable } from 'kysely';
import { normalizeEmail } from '../../base/addresses.ts';
import type { StoreContext } from './context.ts';
import { hashOf, makeSecretText } from './secrets.ts';
import type { PageTables } from './tables/pages.ts';

export type SubscriberKind = 'EMAIL' | 'WEBHOOK';

export interface Subscriber {
  readonly id: string;
  readonly pageId: string;
  readonly kind: SubscriberKind;
  /** An e-mail address, or the URL of a webhook. */
  readonly address: string;
  /** Null if not confirmed yet. */
  readonly confirmedAt: number | null;
}

/** The result of a request to subscribe: the recipient, and the token to confirm with. */
export interface SubscribeResult {
  readonly subscriber: Subscriber;
  /** Undefined if already confirmed. */
  readonly token: string | undefined;
}

function subscriberFrom(row: Selectable<PageTables['page_subscribers']>): Subscriber {
  return {
    id: row.id,
    pageId: row.page_id,
    kind: row.kind as SubscriberKind,
    address: row.address,
    confirmedAt: row.confirmed_at,
  };
}

/** How long a confirmation link is valid, in ms. */
const CONFIRM_WITHIN_MS = 48 * 60 * 60 * 1000;
/** Minimum time between two confirmation messages to an address, in ms. */
const MIN_REQUEST_INTERVAL_MS = 10 * 60 * 1000;

/** Selects subscribers with access to their page: for a private page, those who subscribed with its current key. */
const withAccess = (db: StoreContext['db']) =>
  db
    .selectFrom('page_subscribers')
    .leftJoin('status_page_access as access', 'access.page_id', 'page_subscribers.page_id')
    .where((to) =>
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
     * Records a request to subscribe; undefined if the address was written to just before. `keyHash`: hash of the key that the
     * page was opened with, null for a public page.
     */
    requestSubscription: (
      pageId: string,
      kind: SubscriberKind,
      address: string,
      keyHash: string | null = null,
    ): Promise<SubscribeResult | undefined> =>
      context.atomically(async ({ db }) => {
        const now = clock.now();
        const canonical = kind === 'EMAIL' ? normalizeEmail(address) : address;
        const existing = await db
          .selectFrom('page_subscribers')
          .selectAll()
          .where('page_id', '=', pageId)
          .where('kind', '=', kind)
          .where('canonical', '=', canonical)
          .executeTakeFirst();
        if (existing !== undefined && now - existing.asked_at < MIN_REQUEST_INTERVAL_MS) return undefined;
        if (existing?.confirmed_at != null) {
          await db
            .updateTable('page_subscribers')
            .set({ asked_at: now, key_hash: keyHash })
            .where('id', '=', existing.id)
            .execute();
          return { subscriber: subscriberFrom(existing), token: undefined };
        }
        await deleteUnconfirmed(db);
        const token = makeSecretText();
        const row = await db
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
          .returningAll()
          .executeTakeFirstOrThrow();
        return { subscriber: subscriberFrom(row), token };
      }),
    /** Returns the subscriber of a valid confirmation link, without confirming. */
    async confirmable(token: string): Promise<Subscriber | undefined> {
      const row = await confirmable(context.db, token).selectAll('page_subscribers').executeTakeFirst();
      return row && subscriberFrom(row);
    },
    /** Confirms with a token, once. Undefined if the token is wrong, used or expired, or the subscriber has lost access to the page. */
    async confirm(token: string): Promise<Subscriber | undefined> {
      const row = await context.db
        .updateTable('page_subscribers')
        .set({ confirm_hash: null, confirmed_at: clock.now() })
        .where('id', 'in', confirmable(context.db, token).select('page_subscribers.id'))
        .returningAll()
        .executeTakeFirst();
      return row && subscriberFrom(row);
    },
    /** Deletes a subscriber, and returns it; undefined if it does not exist. */
    async remove(id: string): Promise<Subscriber | undefined> {
      const query = context.db.deleteFrom('page_subscribers').where('id', '=', id);
      const row = await query.returningAll().executeTakeFirst();
      return row && subscriberFrom(row);
    },
    async get(id: string): Promise<Subscriber | undefined> {
      const query = context.db.selectFrom('page_subscribers').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row && subscriberFrom(row);
    },
    /** Returns the confirmed subscribers of some pages with access to them. */
    async confirmed(pageIds: readonly string[]): Promise<Subscriber[]> {
      if (pageIds.length === 0) return [];
      const rows = await withAccess(context.db)
        .selectAll('page_subscribers')
        .where('page_subscribers.page_id', 'in', pageIds)
        .where('confirmed_at', 'is not', null)
        .orderBy('page_subscribers.id')
        .execute();
      return rows.map(subscriberFrom);
    },
    /** Returns whether a subscriber is confirmed and has access to the page now. */
    async isActive(id: string): Promise<boolean> {
      const query = withAccess(context.db)
        .select('page_subscribers.id')
        .where('page_subscribers.id', '=', id);
      return (await query.where('confirmed_at', 'is not', null).executeTakeFirst()) !== undefined;
    },
  };
}
