/** Stores the outbox: messages that are sent after the transaction that wrote them is committed. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import { type AlertFilter, type OutboxFilter, selectAlerts } from './alert-messages.ts';
import { MAX_COUNTED } from './check-lists.ts';
import type { DialectName, Executor, StoreContext } from './context.ts';
import { earliest } from './engine/runs.ts';
import { type CursorPage, cursorAfter, cursorPage } from './lists.ts';
import type { OutboxRow } from './tables/engine.ts';

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
> & { readonly payload: string; readonly priority?: number; readonly run?: string | null };

/** What decides when a message is sent. */
type Share = Pick<OutboxMessage, 'destination' | 'kind' | 'priority'>;

interface OutboxClaim {
  readonly sender: string;
  readonly now: number;
  readonly leaseUntil: number;
  /** How many messages the sender may send at a time: to one destination, of one kind, and to subscribers. Default: `limit`. */
  readonly perDestination: number;
  readonly perKind?: number;
  readonly deferred?: number;
  /** The messages that it is sending. */
  readonly inFlight: readonly Share[];
  readonly limit: number;
}

// Literals, not parameters: SQLite uses a partial index only if the statement repeats its condition.
const isOpen = sql<SqlBool>`state in ('QUEUED', 'SENDING')`;
const isSending = sql<SqlBool>`state = 'SENDING'`;
const isReady = sql<SqlBool>`state = 'QUEUED' and in_turn = 1`;

/** Returns how many of the messages that are being sent have the same value as a row. */
function countInFlight(inFlight: readonly Share[], column: 'destination' | 'kind') {
  const counts = new Map<string, number>();
  for (const { [column]: value } of inFlight) counts.set(value, (counts.get(value) ?? 0) + 1);
  if (counts.size === 0) return sql`0`;
  const cases = [...counts].map(([value, count]) => sql`when ${value} then cast(${count} as bigint)`);
  return sql`case ${sql.ref(column)} ${sql.join(cases, sql` `)} else 0 end`;
}

/**
 * Returns the common table expressions of a claim. `picked` contains the IDs to claim, within all limits: alerts first, then by
 * turns of the kinds, and for each kind by turns of its destinations.
 */
function claimExpressions(dialect: DialectName, { now, inFlight, limit, ...most }: OutboxClaim) {
  const first = sql`select id, not_before, kind, priority from outbox where ${isReady} and outbox.destination = waiting.destination
    and not_before <= ${now} order by not_before, id limit ${most.perDestination}`;
  const due =
    dialect === 'postgres'
      ? sql`cross join lateral (${first}) as due`
      : sql`join outbox as due on due.id in (select id from (${first}))`;
  const { perKind = limit, deferred = limit } = most;
  const places = Math.max(0, deferred - inFlight.filter(({ priority }) => priority > 0).length);
  const order = sql`not_before, id`;
  return sql`with recursive waiting (destination) as (
      select min(destination) from outbox where ${isReady}
      union all
      select (select min(next.destination) from outbox as next
        where next.state = 'QUEUED' and next.in_turn = 1 and next.destination > waiting.destination)
      from waiting where waiting.destination is not null
    ), placed as materialized (
      select due.id, due.not_before, due.kind, due.priority, waiting.destination
      from waiting ${due} where waiting.destination is not null
    ), by_destination as (
      select placed.*, row_number() over (partition by destination order by ${order})
        + ${countInFlight(inFlight, 'destination')} as turn from placed
    ), by_kind as (
      select id, not_before, priority, turn, row_number() over (partition by kind order by priority, turn, ${order})
        + ${countInFlight(inFlight, 'kind')} as kind_turn
      from by_destination where turn <= ${most.perDestination}
    ), by_priority as (
      select id, not_before, priority, kind_turn,
        row_number() over (partition by priority order by kind_turn, ${order}) as place
      from by_kind where kind_turn <= ${perKind}
    ), first_due as materialized (
      select id from by_priority where priority = 0 or place <= ${places}
      order by priority, kind_turn, ${order} limit ${limit}
    ), picked as materialized (
      select id from outbox where id in (select id from first_due) and ${isReady}
      ${dialect === 'postgres' ? sql`order by id for no key update skip locked` : sql``}
    )`;
}

export function outbox(context: StoreContext) {
  const { db, dialect, clock } = context;
  const unclaimed = { claimed_by: null, lease_until: null } as const;
  const updateClaimed = (tx: Executor, id: number, sender: string) =>
    tx
      .updateTable('outbox')
      .where('id', '=', id)
      .where('state', '=', 'SENDING')
      .where('claimed_by', '=', sender);
  /** Selects the open messages of a lane. */
  const selectOpen = (tx: Executor, lane: string) =>
    tx.selectFrom('outbox').select('id').where('lane', '=', lane).where(isOpen);

  /** Returns 1 if the message is the first of its lane. On Postgres a lock delays the end of the last message until the commit. */
  async function isFirstInLane({ lane }: NewOutboxMessage): Promise<number> {
    if (lane === null) return 1;
    const last = selectOpen(db, lane).orderBy('id', 'desc').limit(1);
    const before = await (dialect === 'postgres' ? last.forShare() : last).executeTakeFirst();
    return before === undefined ? 1 : 0;
  }

  /** Ends a message, and makes the next message of its lane ready. */
  const endMessage = (
    id: number,
    sender: string,
    end: Pick<OutboxMessage, 'state' | 'last_error'> & Partial<Pick<OutboxMessage, 'receipt'>>,
  ) =>
    context.atomically(
      async (tx) => {
        const set = { ...unclaimed, ...end, payload: null, ended_at: clock.now() };
        const query = updateClaimed(tx.db, id, sender).set(set).returning('lane');
        const ended = await query.executeTakeFirst();
        if (ended?.lane)
          await tx.db
            .updateTable('outbox')
            .set({ in_turn: 1 })
            .where('id', '=', selectOpen(tx.db, ended.lane).orderBy('id').limit(1))
            .execute();
        return ended !== undefined;
      },
      // Each statement must see rows that were committed while it waited for a lock.
      { isolation: 'read committed' },
    );

  return {
    /**
     * Inserts a message; false if a message with the same idempotency key exists. With `refusal`, the reason why the message is
     * not sent, it is stored as failed.
     */
    async insert(message: NewOutboxMessage, refusal?: string): Promise<boolean> {
      const end =
        refusal === undefined
          ? { state: 'QUEUED', last_error: null, ended_at: null, in_turn: await isFirstInLane(message) }
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
     * Claims due messages within the limits: alerts first, then in turns of kinds and destinations, longest due first. It reads an index of the first message of
     * each lane, stepping from destination to destination, so messages that wait behind them cost nothing. It is one statement;
     * concurrent senders claim different messages.
     */
    async claim(claim: OutboxClaim): Promise<OutboxMessage[]> {
      const { sender, leaseUntil } = claim;
      const { rows } = await sql<OutboxMessage>`${claimExpressions(dialect, claim)}
        update outbox set state = 'SENDING', claimed_by = ${sender}, lease_until = ${leaseUntil}, attempts = attempts + 1
        where id in (select id from picked)
        returning *`.execute(db);
      return rows.sort(
        (one, other) =>
          one.priority - other.priority || one.not_before - other.not_before || one.id - other.id,
      );
    },
    /** Returns the type of the last alert about a check to a channel; undefined if there was none, or it failed. */
    async lastAlertType(checkId: string, channelId: number): Promise<string | undefined> {
      const query = db.selectFrom('outbox').select('alert_type').where('check_id', '=', checkId);
      const row = await query
        .where('channel_id', '=', channelId)
        .where('state', '<>', 'FAILED')
        .orderBy('id', 'desc')
        .executeTakeFirst();
      return row?.alert_type ?? undefined;
    },
    /** Returns when the message with a key failed for good, in ms; null if it did not, undefined if there is none. */
    async failedAt(key: string): Promise<number | null | undefined> {
      const query = db.selectFrom('outbox').select(['state', 'ended_at']).where('idempotency_key', '=', key);
      const row = await query.executeTakeFirst();
      return row && (row.state === 'FAILED' ? row.ended_at : null);
    },
    /** Marks a message as sent; false if the sender no longer holds the lease. `receipt`: ID that the receiver gave it. */
    markSent: (id: number, sender: string, receipt?: string): Promise<boolean> =>
      endMessage(id, sender, { state: 'SENT', last_error: null, receipt: receipt ?? null }),
    /** Returns the receipt of the first message of a lane since a time, to which later messages reply. */
    async findReceipt(lane: string, since: number): Promise<string | undefined> {
      const row = await db
        .selectFrom('outbox')
        .select('receipt')
        .where('lane', '=', lane)
        .where(sql<SqlBool>`receipt is not null`)
        .where('created_at', '>=', since)
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row?.receipt ?? undefined;
    },
    /** Marks a message as failed permanently. */
    markFailed: (id: number, sender: string, error: string): Promise<boolean> =>
      endMessage(id, sender, { state: 'FAILED', last_error: error }),
    /** Requeues a message that could not be delivered now. */
    async retry(id: number, sender: string, notBefore: number, error: string): Promise<boolean> {
      const set = { ...unclaimed, state: 'QUEUED', not_before: notBefore, last_error: error };
      return (await updateClaimed(db, id, sender).set(set).executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Requeues the messages of a sender that stops; unfinished deliveries do not count as attempts. */
    async release(sender: string): Promise<void> {
      const query = db
        .updateTable('outbox')
        .set((to) => ({ ...unclaimed, state: 'QUEUED', attempts: to('attempts', '-', 1) }));
      await query.where(isSending).where('claimed_by', '=', sender).execute();
    },
    /** Requeues the messages of other senders whose lease has expired. */
    async releaseExpired(sender: string, now: number): Promise<void> {
      const query = db.updateTable('outbox').set({ ...unclaimed, state: 'QUEUED' });
      const lapsed = query.where(isSending).where('lease_until', '<=', now);
      await lapsed.where('claimed_by', '!=', sender).execute();
    },
    /** Requeues all claimed messages. Call it only when no other sender is running. */
    async releaseAll(): Promise<void> {
      await db
        .updateTable('outbox')
        .set({ ...unclaimed, state: 'QUEUED' })
        .where(isSending)
        .execute();
    },
    /** Returns when a message is next due or a lease of another sender expires; null if neither. */
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
    /** Returns the bytes of unsent messages in all accounts. */
    async unsentBytes(): Promise<number> {
      const row = await db
        .selectFrom('outbox')
        .select((to) => to.fn.sum<number | null>('bytes').as('bytes'))
        .where(isOpen)
        .executeTakeFirstOrThrow();
      return Number(row.bytes ?? 0);
    },
    /** Returns the number of messages by state in all accounts. */
    async counts(): Promise<Readonly<Record<string, number>>> {
      const rows = await db
        .selectFrom('outbox')
        .select((to) => ['state', to.fn.countAll<number>().as('count')])
        .groupBy('state')
        .execute();
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    },
    /** Lists the alerts of an account, newest first. @throws UnknownCursor */
    async alerts({ limit, after, offset = 0, ...filter }: OutboxFilter): Promise<CursorPage<OutboxMessage>> {
      let query = selectAlerts(db, filter).selectAll();
      if (after !== undefined) query = query.where(cursorAfter(after, 'created_at', 'number'));
      const rows = await query
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .offset(offset)
        .execute();
      return cursorPage(rows, limit, 'created_at');
    },
    /** Counts the alerts that pass a filter, up to `MAX_COUNTED` + 1. */
    async countAlerts(filter: AlertFilter): Promise<number> {
      const counted = selectAlerts(db, filter)
        .select('id')
        .limit(MAX_COUNTED + 1);
      const query = db.selectFrom(counted.as('listed')).select((to) => to.fn.countAll<number>().as('count'));
      return (await query.executeTakeFirstOrThrow()).count;
    },
    /** Deletes up to `limit` messages that ended before an instant; returns their number. */
    async deleteEnded(endedBefore: number, limit: number): Promise<number> {
      const query = db
        .deleteFrom('outbox')
        .where('id', 'in', (from) =>
          from.selectFrom('outbox').select('id').where('ended_at', '<', endedBefore).limit(limit),
        );
      return Number((await query.executeTakeFirst()).numDeletedRows);
    },
  };
}
