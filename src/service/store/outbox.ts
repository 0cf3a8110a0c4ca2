/** The outbox: messages that leave the machine after the transaction that wrote them. Read by the sender, and by lists. */
import { type Selectable, sql } from 'kysely';
import type { CursorPage, StoreContext } from './context.ts';
import { cursorAfter, cursorOf } from './cursor.ts';
import { earliest } from './engine/runs.ts';
import type { OutboxRow } from './tables/messages.ts';

export type OutboxState = 'QUEUED' | 'SENDING' | 'SENT' | 'FAILED';
export type OutboxMessage = Selectable<OutboxRow>;

export type NewOutboxMessage = Pick<
  OutboxMessage,
  | 'account_id'
  | 'idempotency_key'
  | 'kind'
  | 'recipient'
  | 'destination'
  | 'lane'
  | 'not_before'
  | 'channel_id'
  | 'check_id'
  | 'alert_type'
> & { readonly payload: string };

interface OutboxClaim {
  readonly sender: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** Destinations that have enough under way. */
  readonly busy: readonly string[];
  readonly limit: number;
}

export interface OutboxFilter {
  readonly accountId: string;
  readonly limit: number;
  readonly after?: string | undefined;
  readonly states?: readonly OutboxState[] | undefined;
  readonly checkId?: string | undefined;
  readonly channelId?: number | undefined;
}

export function outbox({ db, dialect, clock }: StoreContext) {
  const unclaimed = { claimed_by: null, lease_until: null } as const;
  const held = (id: number, sender: string) =>
    db
      .updateTable('outbox')
      .where('id', '=', id)
      .where('state', '=', 'SENDING')
      .where('claimed_by', '=', sender);

  return {
    /**
     * False where a message with this key has been written before: then nothing is written. `refusal`: why it is not sent; it is
     * there as one that failed.
     */
    async insert(message: NewOutboxMessage, refusal?: string): Promise<boolean> {
      const end =
        refusal === undefined
          ? { state: 'QUEUED', last_error: null, ended_at: null }
          : { state: 'FAILED', last_error: refusal, ended_at: clock.now(), payload: null };
      const row = { ...message, ...unclaimed, attempts: 0, ...end };
      const inserted = await db
        .insertInto('outbox')
        .values({ ...row, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    /**
     * Takes what is due, the longest due first: of each destination one, of each lane only the first that is open. One
     * statement, so that no two senders ever get the same message.
     */
    async claim({ sender, now, leaseUntil, busy, limit }: OutboxClaim): Promise<OutboxMessage[]> {
      return db
        .updateTable('outbox')
        .set((to) => ({
          ...{ state: 'SENDING', claimed_by: sender, lease_until: leaseUntil },
          attempts: to('attempts', '+', 1),
        }))
        .where('id', 'in', (from) => {
          let due = from
            .selectFrom('outbox')
            .select((to) => [
              'outbox.id',
              'outbox.not_before',
              to.fn
                .agg<number>('row_number')
                .over((over) =>
                  over.partitionBy('outbox.destination').orderBy('outbox.not_before').orderBy('outbox.id'),
                )
                .as('place'),
            ])
            .where('outbox.state', '=', 'QUEUED')
            .where('outbox.not_before', '<=', now)
            .where((to) =>
              to.or([
                to('outbox.lane', 'is', null),
                to.not(
                  to.exists(
                    to
                      .selectFrom('outbox as before')
                      .select('before.id')
                      .whereRef('before.lane', '=', 'outbox.lane')
                      .whereRef('before.id', '<', 'outbox.id')
                      .where('before.state', 'in', ['QUEUED', 'SENDING']),
                  ),
                ),
              ]),
            );
          if (busy.length > 0) due = due.where('outbox.destination', 'not in', busy);
          const first = from
            .selectFrom(due.as('due'))
            .select('due.id')
            .where('due.place', '=', 1)
            .orderBy('due.not_before')
            .orderBy('due.id')
            .limit(limit);
          if (dialect !== 'postgres') return first;
          return from
            .selectFrom('outbox as locked')
            .select('locked.id')
            .where('locked.id', 'in', first)
            .where('locked.state', '=', 'QUEUED')
            .forUpdate()
            .skipLocked();
        })
        .returningAll()
        .execute();
    },
    /** Notes that a message was delivered; false where the sender holds it no longer. */
    async sent(id: number, sender: string): Promise<boolean> {
      const set = { ...unclaimed, state: 'SENT', payload: null, last_error: null, ended_at: clock.now() };
      return (await held(id, sender).set(set).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Puts a message back that could not be delivered now. */
    async retry(id: number, sender: string, notBefore: number, error: string): Promise<boolean> {
      const set = { ...unclaimed, state: 'QUEUED', not_before: notBefore, last_error: error };
      return (await held(id, sender).set(set).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Gives a message up for good. */
    async failed(id: number, sender: string, error: string): Promise<boolean> {
      const set = { ...unclaimed, state: 'FAILED', payload: null, last_error: error, ended_at: clock.now() };
      return (await held(id, sender).set(set).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Puts back what a sender will not deliver any more; what it began does not count as tried. */
    async release(sender: string): Promise<void> {
      const query = db
        .updateTable('outbox')
        .set((to) => ({ ...unclaimed, state: 'QUEUED', attempts: to('attempts', '-', 1) }));
      await query.where('state', '=', 'SENDING').where('claimed_by', '=', sender).execute();
    },
    /** Puts back what other senders hold whose lease has run out: they are gone. */
    async releaseLapsed(sender: string, now: number): Promise<void> {
      const query = db.updateTable('outbox').set({ ...unclaimed, state: 'QUEUED' });
      const lapsed = query.where('state', '=', 'SENDING').where('lease_until', '<=', now);
      await lapsed.where('claimed_by', '!=', sender).execute();
    },
    /** Puts back all that was claimed: nobody else lives who could hold it. */
    async releaseAll(): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, state: 'QUEUED' })
        .where('state', '=', 'SENDING')
        .execute();
    },
    /** When the outbox next needs a sender's attention; null: nothing is in it but what that one holds. */
    async nextInstant(sender: string): Promise<number | null> {
      const row = await db
        .selectNoFrom((from) => [
          from
            .selectFrom('outbox')
            .select((to) => to.fn.min('not_before').as('due'))
            .where('state', '=', 'QUEUED')
            .as('due'),
          from
            .selectFrom('outbox')
            .select((to) => to.fn.min('lease_until').as('lapsed'))
            .where('state', '=', 'SENDING')
            .where('claimed_by', '!=', sender)
            .as('lapsed'),
        ])
        .executeTakeFirstOrThrow();
      return earliest(row.due, row.lapsed);
    },
    /** Bytes of what waits to be sent, for the whole store. */
    async waitingBytes(): Promise<number> {
      const row = await db
        .selectFrom('outbox')
        .select(sql<number | null>`sum(octet_length(payload))`.as('bytes'))
        .where('state', 'in', ['QUEUED', 'SENDING'])
        .executeTakeFirstOrThrow();
      return Number(row.bytes ?? 0);
    },
    /** How many messages are in each state, for the whole store. */
    async counts(): Promise<Readonly<Record<string, number>>> {
      const rows = await db
        .selectFrom('outbox')
        .select((to) => ['state', to.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute();
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    /** Alerts of an account, the newest first. @throws UnknownCursor */
    async alerts({ accountId, limit, after, ...filter }: OutboxFilter): Promise<CursorPage<OutboxMessage>> {
      let query = db
        .selectFrom('outbox')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('alert_type', 'is not', null);
      if (filter.states !== undefined) query = query.where('state', 'in', filter.states);
      if (filter.checkId !== undefined) query = query.where('check_id', '=', filter.checkId);
      if (filter.channelId !== undefined) query = query.where('channel_id', '=', filter.channelId);
      if (after !== undefined) query = query.where(cursorAfter(after, 'number'));
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute();
      return { entries: rows.slice(0, limit), nextId: cursorOf(rows, limit) };
    },
    /** Removes at most so many messages that ended before an instant; answers how many. */
    async forget(endedBefore: number, limit: number): Promise<number> {
      const query = db
        .deleteFrom('outbox')
        .where('id', 'in', (from) =>
          from.selectFrom('outbox').select('id').where('ended_at', '<', endedBefore).limit(limit),
        );
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },
  };
}
