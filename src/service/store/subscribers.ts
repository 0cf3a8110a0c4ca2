/** Who is told of what happens on a status page, once they have confirmed that they want to be. */
import type { Selectable } from 'kysely';
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
  /** Null: not confirmed yet. */
  readonly confirmedAt: number | null;
}

/** What asking came to: whom to write to, and the token where the address is still to be confirmed. */
export interface Asked {
  readonly subscriber: Subscriber;
  /** Undefined: it is confirmed already. */
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

/** How long a link to confirm is good, in ms. */
const CONFIRM_WITHIN_MS = 48 * 60 * 60 * 1000;
/** An address is written to at most once in this time, whoever asks how often. */
const ASKED_AGAIN_MS = 10 * 60 * 1000;
/** How many unconfirmed addresses a page takes within that time: nobody floods the world through it. */
const ASKED_AT_ONCE = 100;

export type Subscribers = ReturnType<typeof subscribers>;

export function subscribers(context: StoreContext) {
  const { clock, random } = context;
  return {
    /** Notes that somebody asks for an address to be told; undefined where it was written to just now. */
    ask: (pageId: string, kind: SubscriberKind, address: string): Promise<Asked | undefined> =>
      context.atomically(async ({ db }) => {
        const now = clock.now();
        const known = await db
          .selectFrom('page_subscribers')
          .selectAll()
          .where('page_id', '=', pageId)
          .where('kind', '=', kind)
          .where('address', '=', address)
          .executeTakeFirst();
        if (known !== undefined && now - known.asked_at < ASKED_AGAIN_MS) return undefined;
        if (known?.confirmed_at != null) {
          await db
            .updateTable('page_subscribers')
            .set({ asked_at: now })
            .where('id', '=', known.id)
            .execute();
          return { subscriber: subscriberFrom(known), token: undefined };
        }
        const { count } = await db
          .selectFrom('page_subscribers')
          .select((to) => to.fn.countAll<number>().as('count'))
          .where('page_id', '=', pageId)
          .where('asked_at', '>', now - ASKED_AGAIN_MS)
          .where('confirmed_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (count >= ASKED_AT_ONCE) return undefined;
        // Those that nobody confirmed in time go: an address that was typed by a stranger is not kept.
        await db
          .deleteFrom('page_subscribers')
          .where('page_id', '=', pageId)
          .where('confirmed_at', 'is', null)
          .where('asked_at', '<', now - CONFIRM_WITHIN_MS)
          .execute();
        const token = makeSecretText();
        const row = await db
          .insertInto('page_subscribers')
          .values({
            ...{ id: random.uuid(), page_id: pageId, kind, address },
            ...{ confirm_hash: hashOf(token), asked_at: now, confirmed_at: null },
          })
          .onConflict((conflict) =>
            conflict
              .columns(['page_id', 'kind', 'address'])
              .doUpdateSet({ confirm_hash: hashOf(token), asked_at: now }),
          )
          .returningAll()
          .executeTakeFirstOrThrow();
        return { subscriber: subscriberFrom(row), token };
      }),
    /** Whether a link to confirm is still good; using it is `confirm`. */
    async isConfirmable(pageId: string, token: string): Promise<boolean> {
      const query = context.db.selectFrom('page_subscribers').select('id').where('page_id', '=', pageId);
      const row = await query
        .where('confirm_hash', '=', hashOf(token))
        .where('asked_at', '>', clock.now() - CONFIRM_WITHIN_MS)
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Confirms by the token, once. Undefined for one that is wrong, used or too old. */
    async confirm(pageId: string, token: string): Promise<Subscriber | undefined> {
      const row = await context.db
        .updateTable('page_subscribers')
        .set({ confirm_hash: null, confirmed_at: clock.now() })
        .where('page_id', '=', pageId)
        .where('confirm_hash', '=', hashOf(token))
        .where('asked_at', '>', clock.now() - CONFIRM_WITHIN_MS)
        .returningAll()
        .executeTakeFirst();
      return row && subscriberFrom(row);
    },
    /** Whether there was one. */
    async remove(pageId: string, id: string): Promise<boolean> {
      const query = context.db.deleteFrom('page_subscribers').where('page_id', '=', pageId);
      return (await query.where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
    async has(pageId: string, id: string): Promise<boolean> {
      const query = context.db.selectFrom('page_subscribers').select('id').where('page_id', '=', pageId);
      return (await query.where('id', '=', id).executeTakeFirst()) !== undefined;
    },
    /** Those of some pages who have confirmed. */
    async confirmed(pageIds: readonly string[]): Promise<Subscriber[]> {
      if (pageIds.length === 0) return [];
      const rows = await context.db
        .selectFrom('page_subscribers')
        .selectAll()
        .where('page_id', 'in', pageIds)
        .where('confirmed_at', 'is not', null)
        .orderBy('id')
        .execute();
      return rows.map(subscriberFrom);
    },
  };
}
