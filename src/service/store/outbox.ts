/** The outbox: messages that leave the machine after the transaction that wrote them. Read by the sender, and by lists. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { CursorPage, StoreContext } from './context.ts';
import { cursorAfter, cursorOf } from './cursor.ts';
import { earliest } from './engine/runs.ts';
import type { OutboxRow } from './tables/messages.ts';
import type { DialectName, Executor } from './tables.ts';

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
  /** How many messages the sender may have under way to one destination, and how many it has. */
  readonly perDestination: number;
  readonly underWay: ReadonlyMap<string, number>;
  readonly limit: number;
}

export interface OutboxFilter {
  readonly accountId: string;
  readonly limit: number;
  readonly after?: string | undefined;
  readonly state?: OutboxState | undefined;
  readonly checkId?: string | undefined;
  readonly channelId?: number | undefined;
}

// Written out, not bound: SQLite uses an index of some rows only where the statement repeats the condition of the index.
const isOpen = sql<SqlBool>`state in ('QUEUED', 'SENDING')`;
const isSending = sql<SqlBool>`state = 'SENDING'`;
const isReady = sql<SqlBool>`state = 'QUEUED' and in_turn = 1`;
const isNotSent = sql<SqlBool>`state <> 'SENT'`;

/** The beginning of a statement: `picked` are the messages that a sender gets, no more to a destination than it may have. */
function pickedIds(dialect: DialectName, { now, perDestination, underWay, limit }: OutboxClaim) {
  const most = sql`cast(${perDestination} as bigint)`;
  const taken = [...underWay].map(
    ([destination, count]) => sql`when ${destination} then cast(${count} as bigint)`,
  );
  const room =
    taken.length === 0
      ? most
      : sql`${most} - case destination ${sql.join(taken, sql` `)} else cast(0 as bigint) end`;
  const first = sql`select id, not_before from outbox where ${isReady} and outbox.destination = waiting.destination
    and not_before <= ${now} order by not_before, id limit ${perDestination}`;
  const due =
    dialect === 'postgres'
      ? sql`cross join lateral (${first}) as due`
      : sql`join outbox as due on due.id in (select id from (${first}))`;
  return sql`with recursive waiting (destination) as (
      select min(destination) from outbox where ${isReady}
      union all
      select (select min(next.destination) from outbox as next
        where next.state = 'QUEUED' and next.in_turn = 1 and next.destination > waiting.destination)
      from waiting where waiting.destination is not null
    ), placed as (
      select due.id, due.not_before, waiting.destination,
        row_number() over (partition by waiting.destination order by due.not_before, due.id) as place
      from waiting ${due} where waiting.destination is not null
    ), first_due as materialized (
      select id from placed where place <= ${room} order by not_before, id limit ${limit}
    ), picked as materialized (
      select id from outbox where id in (select id from first_due) and ${isReady}
      ${dialect === 'postgres' ? sql`order by id for no key update skip locked` : sql``}
    )`;
}

export function outbox(context: StoreContext) {
  const { db, dialect, clock } = context;
  const unclaimed = { claimed_by: null, lease_until: null } as const;
  const held = (within: Executor, id: number, sender: string) =>
    within
      .updateTable('outbox')
      .where('id', '=', id)
      .where('state', '=', 'SENDING')
      .where('claimed_by', '=', sender);
  /** Those of a lane that have not ended; on Postgres `last` is locked: its end waits for the commit of whoever comes after it. */
  const openIn = (within: Executor, lane: string) =>
    within.selectFrom('outbox').select('id').where('lane', '=', lane).where(isOpen);

  /** 1 where no message of its lane is before it. */
  async function isInTurn({ lane }: NewOutboxMessage): Promise<number> {
    if (lane === null) return 1;
    const last = openIn(db, lane).orderBy('id', 'desc').limit(1);
    const before = await (dialect === 'postgres' ? last.forShare() : last).executeTakeFirst();
    return before === undefined ? 1 : 0;
  }

  /** Ends a message, and lets the next of its lane leave. */
  const conclude = (id: number, sender: string, end: { state: OutboxState; last_error: string | null }) =>
    context.atomically(
      async (within) => {
        const set = { ...unclaimed, ...end, payload: null, ended_at: clock.now() };
        const query = held(within.db, id, sender).set(set).returning('lane');
        const ended = await query.executeTakeFirst();
        if (ended?.lane)
          await within.db
            .updateTable('outbox')
            .set({ in_turn: 1 })
            .where('id', '=', openIn(within.db, ended.lane).orderBy('id').limit(1))
            .execute();
        return ended !== undefined;
      },
      // Each statement must see what was committed while it waited for a row.
      { isolation: 'read committed' },
    );

  return {
    /**
     * False where a message with this key has been written before: then nothing is written. `refusal`: why it is not sent; it is
     * there as one that failed.
     */
    async insert(message: NewOutboxMessage, refusal?: string): Promise<boolean> {
      const end =
        refusal === undefined
          ? { state: 'QUEUED', last_error: null, ended_at: null, in_turn: await isInTurn(message) }
          : { state: 'FAILED', last_error: refusal, ended_at: clock.now(), payload: null };
      const bytes = Buffer.byteLength(message.payload);
      const row = { ...message, ...unclaimed, attempts: 0, bytes, ...end };
      const inserted = await db
        .insertInto('outbox')
        .values({ ...row, created_at: clock.now() })
        .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
        .returning('id')
        .executeTakeFirst();
      return inserted !== undefined;
    },
    /**
     * Takes what is due, the longest due first, and of each destination no more than the sender may have under way. It reads an
     * index of the messages that are first in their lane, in steps from one destination to the next: what waits behind costs
     * nothing. One statement; senders that claim together take different messages.
     */
    async claim(claim: OutboxClaim): Promise<OutboxMessage[]> {
      const { sender, leaseUntil } = claim;
      const { rows } = await sql<OutboxMessage>`${pickedIds(dialect, claim)}
        update outbox set state = 'SENDING', claimed_by = ${sender}, lease_until = ${leaseUntil}, attempts = attempts + 1
        where id in (select id from picked)
        returning *`.execute(db);
      return rows.sort((one, other) => one.not_before - other.not_before || one.id - other.id);
    },
    /** Notes that a message was delivered; false where the sender holds it no longer. */
    sent: (id: number, sender: string): Promise<boolean> =>
      conclude(id, sender, { state: 'SENT', last_error: null }),
    /** Gives a message up for good. */
    failed: (id: number, sender: string, error: string): Promise<boolean> =>
      conclude(id, sender, { state: 'FAILED', last_error: error }),
    /** Puts a message back that could not be delivered now. */
    async retry(id: number, sender: string, notBefore: number, error: string): Promise<boolean> {
      const set = { ...unclaimed, state: 'QUEUED', not_before: notBefore, last_error: error };
      return (await held(db, id, sender).set(set).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Puts back what a sender will not deliver any more; what it began does not count as tried. */
    async release(sender: string): Promise<void> {
      const query = db
        .updateTable('outbox')
        .set((to) => ({ ...unclaimed, state: 'QUEUED', attempts: to('attempts', '-', 1) }));
      await query.where(isSending).where('claimed_by', '=', sender).execute();
    },
    /** Puts back what other senders hold whose lease has run out: they are gone. */
    async releaseLapsed(sender: string, now: number): Promise<void> {
      const query = db.updateTable('outbox').set({ ...unclaimed, state: 'QUEUED' });
      const lapsed = query.where(isSending).where('lease_until', '<=', now);
      await lapsed.where('claimed_by', '!=', sender).execute();
    },
    /** Puts back all that was claimed: nobody else lives who could hold it. */
    async releaseAll(): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, state: 'QUEUED' })
        .where(isSending)
        .execute();
    },
    /** When the outbox next needs a sender's attention; null: nothing is in it but what that one holds. */
    async nextInstant(sender: string): Promise<number | null> {
      const row = await db
        .selectNoFrom((from) => [
          from
            .selectFrom('outbox')
            .select((to) => to.fn.min('not_before').as('due'))
            .where(isReady)
            .as('due'),
          from
            .selectFrom('outbox')
            .select((to) => to.fn.min('lease_until').as('lapsed'))
            .where(isSending)
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
        .select((to) => to.fn.sum<number | null>('bytes').as('bytes'))
        .where(isOpen)
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
      if (filter.state !== undefined) query = query.where('state', '=', filter.state);
      if (filter.state !== undefined && filter.state !== 'SENT') query = query.where(isNotSent);
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
