/** Stores notices to the subscribers of status pages until each subscriber has a message in the outbox. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { COLUMNS, type Subscriber, withAccess } from './subscribers.ts';

/** A notice that is not expanded yet. `body`: the notice as JSON. */
export interface PendingNotice {
  readonly id: number;
  readonly accountId: string;
  readonly body: string;
  /** ID of the last subscriber who has a message; empty if none has. */
  readonly lastSubscriber: string;
  /** Ms since the epoch. Later subscribers do not get the notice. */
  readonly createdAt: number;
}

export function notices({ db, dialect, clock }: StoreContext) {
  return {
    /** Adds a notice. */
    async add(accountId: string, body: string): Promise<void> {
      const row = { account_id: accountId, body, last_subscriber: '', batches: 0, created_at: clock.now() };
      await db.insertInto('notices').values(row).execute();
    },
    /**
     * Returns the notice to expand next, and locks it: the first of its account, of the account with the fewest batches so far.
     * Skips accounts with at least `most` messages of notices that are due, and notices that another service expands.
     */
    async next(most: number): Promise<PendingNotice | undefined> {
      const waiting = sql<number>`(select count(*) from (select 1 from outbox where outbox.account_id = notices.account_id
        and priority = 1 and state = 'QUEUED' and in_turn = 1 and not_before <= ${clock.now()} limit ${most}) as due)`;
      const query = db
        .selectFrom('notices')
        .select(['id', 'account_id as accountId', 'body', 'last_subscriber as lastSubscriber'])
        .select('created_at as createdAt')
        .where('id', 'in', (from) =>
          from
            .selectFrom('notices as first')
            .select((to) => to.fn.min<number>('first.id').as('id'))
            .groupBy('first.account_id'),
        )
        .where(waiting, '<', most)
        .orderBy('batches')
        .orderBy('id')
        .limit(1);
      return (dialect === 'postgres' ? query.forUpdate().skipLocked() : query).executeTakeFirst();
    },
    /** Returns the next recipients of a notice on some pages, in the order of their IDs. */
    recipients: async (
      { lastSubscriber, createdAt }: PendingNotice,
      pageIds: readonly string[],
      limit: number,
    ): Promise<Subscriber[]> =>
      pageIds.length === 0
        ? []
        : withAccess(db)
            .select(COLUMNS)
            .where('page_subscribers.page_id', 'in', pageIds)
            .where('confirmed_at', '<=', createdAt)
            .where('page_subscribers.id', '>', lastSubscriber)
            .orderBy('page_subscribers.id')
            .limit(limit)
            .execute(),
    /** Records that a batch of messages is in the outbox, up to a subscriber. */
    async advance(id: number, lastSubscriber: string): Promise<void> {
      await db
        .updateTable('notices')
        .set((to) => ({ last_subscriber: lastSubscriber, batches: to('batches', '+', 1) }))
        .where('id', '=', id)
        .execute();
    },
    /** Deletes a notice whose subscribers all have a message. */
    async delete(id: number): Promise<void> {
      await db.deleteFrom('notices').where('id', '=', id).execute();
    },
  };
}
