/** Stores the queue of attempts that wait or run. A result replaces the row of its attempt. */
import { type Insertable, type Selectable, type SqlBool, sql } from 'kysely';
import { groupBy } from '../../../base/object.ts';
import type { DialectName, StoreContext } from '../context.ts';
import { prepareStatement, splitIntoChunks } from '../prepared-statements.ts';
import type { RunRow } from '../tables/engine.ts';
import { isAgentKeyValid, isQueued, leases } from './leases.ts';

export type Run = Selectable<RunRow>;
export type NewRun = Insertable<RunRow>;

/** A worker's claim from a pool. Instants in ms since the epoch. */
export interface Claim {
  readonly worker: string;
  readonly pool: string;
  /** The account of a private pool; undefined for the public pool. */
  readonly accountId?: string;
  readonly now: number;
  readonly leaseUntil: number;
  readonly limit: number;
  /** The agent's key: if it is revoked, nothing is claimed. Undefined if the worker is not an agent. */
  readonly agentKeyId?: string;
  /** Default: any attempt. */
  readonly only?: Capability;
}

/** The attempts that a worker can run. */
export interface Capability {
  readonly checkTypes: readonly string[];
  /** The worker leaves checks with other runtimes to other workers. */
  readonly runtimes: readonly string[];
  /** Attempts due before this instant (ms) ignore `runtimes`: no worker has the runtime, and the worker must report that. */
  readonly anyRuntimeBefore: number;
}

const insertRuns = prepareStatement((db, rows: readonly NewRun[]) => db.insertInto('runs').values(rows));
const insertReturningIds = prepareStatement((db, rows: readonly NewRun[]) =>
  db.insertInto('runs').values(rows).returning(['id', 'sequence_id']),
);
const deleteClaimed = prepareStatement((db, worker: string, ids: readonly number[]) =>
  db
    .deleteFrom('runs')
    .where('id', 'in', ids)
    .where('claimed_by', '=', worker)
    .where('state', '=', 'RUNNING')
    .returningAll(),
);
const selectHolders = prepareStatement((db, ids: readonly number[]) =>
  db.selectFrom('runs').select(['id', 'session_id', 'claimed_by']).where('id', 'in', ids),
);
const selectSessionsWithRuns = prepareStatement((db, ids: readonly string[]) =>
  db.selectFrom('runs').select('session_id').distinct().where('session_id', 'in', ids),
);

export function runs(context: StoreContext) {
  const { db, dialect } = context;
  return {
    ...leases(context),
    async insert(rows: readonly NewRun[]): Promise<void> {
      for (const some of splitIntoChunks(rows)) await insertRuns(context, some);
    },
    /** Inserts rows; returns their IDs in the same order. */
    async insertNumbered(rows: readonly NewRun[]): Promise<number[]> {
      const ids = new Map<string, number>();
      // Databases do not guarantee the order of returned rows.
      for (const some of splitIntoChunks(rows))
        for (const { id, sequence_id } of await insertReturningIds(context, some)) ids.set(sequence_id, id);
      return rows.map((row) => {
        const id = ids.get(row.sequence_id);
        if (id === undefined) throw new Error(`attempt ${row.sequence_id} was not written`);
        return id;
      });
    },
    /** Claims due attempts, longest due first, in one statement: no two workers get the same attempt. */
    async claim({
      worker,
      pool,
      accountId,
      now,
      leaseUntil,
      limit,
      only,
      agentKeyId,
    }: Claim): Promise<Run[]> {
      if (only?.checkTypes.length === 0) return [];
      const claimed = await db
        .updateTable('runs')
        .set({ state: 'RUNNING', claimed_by: worker, claimed_at: now, lease_until: leaseUntil })
        .where('id', 'in', (from) => {
          let due = from
            .selectFrom('runs')
            .select('id')
            .where(isQueued)
            .where('pool', '=', pool)
            .where('not_before', '<=', now)
            // The unary plus stops SQLite from using the index of claim_by, with which it would sort the whole queue.
            .where(sql<SqlBool>`+claim_by > ${now}`)
            .orderBy('not_before')
            .orderBy('id')
            .limit(limit);
          if (accountId !== undefined) due = due.where('account_id', '=', accountId);
          if (only !== undefined) due = due.where(runnableBy(dialect, only));
          if (agentKeyId !== undefined) due = due.where(isAgentKeyValid(agentKeyId));
          return dialect === 'postgres' ? due.forNoKeyUpdate().skipLocked() : due;
        })
        .returningAll()
        .execute();
      return claimed.sort((one, other) => one.not_before - other.not_before || one.id - other.id);
    },
    /** Deletes and returns the attempts that still have the same worker as in `seen`. */
    async removeClaimed(seen: readonly Pick<Run, 'id' | 'claimed_by'>[]): Promise<Run[]> {
      const all: Run[] = [];
      for (const [worker, held] of groupBy(seen, ({ claimed_by }) => claimed_by)) {
        const ids = held.map(({ id }) => id);
        if (worker !== null) all.push(...(await deleteClaimed(context, worker, ids)));
      }
      return all;
    },
    ofSession: (sessionId: string): Promise<Run[]> =>
      db.selectFrom('runs').selectAll().where('session_id', '=', sessionId).orderBy('id').execute(),
    /** Returns the worker and the session of attempts. */
    async holders(ids: readonly number[]): Promise<Pick<Run, 'id' | 'session_id' | 'claimed_by'>[]> {
      return ids.length === 0 ? [] : selectHolders(context, ids);
    },
    /** Returns the open attempts of sessions, each with the ID that all attempts of its run share. */
    sequencesOf: async (
      sessionIds: readonly string[],
    ): Promise<{ session_id: string; sequence_id: string }[]> =>
      sessionIds.length === 0
        ? []
        : db
            .selectFrom('runs')
            .select(['session_id', 'sequence_id'])
            .where('session_id', 'in', sessionIds)
            .execute(),
    /** Returns the sessions, of those given, that have open attempts. */
    async sessionsWithRuns(sessionIds: readonly string[]): Promise<string[]> {
      if (sessionIds.length === 0) return [];
      return (await selectSessionsWithRuns(context, sessionIds)).map((row) => row.session_id);
    },
    /** Deletes an attempt if its state and worker are unchanged; otherwise returns false. */
    async remove({ id, state, claimed_by }: Pick<Run, 'id' | 'state' | 'claimed_by'>): Promise<boolean> {
      const query = db.deleteFrom('runs').where('id', '=', id).where('state', '=', state);
      const held =
        claimed_by === null
          ? query.where('claimed_by', 'is', null)
          : query.where('claimed_by', '=', claimed_by);
      return (await held.executeTakeFirst()).numDeletedRows > 0n;
    },
    /** Queues the held attempts of a session; false if another process already did. */
    async queueHeld(sessionId: string, times: { not_before: number; claim_by: number }): Promise<boolean> {
      const query = db
        .updateTable('runs')
        .set({ state: 'QUEUED', ...times })
        .where('session_id', '=', sessionId)
        .where('state', '=', 'HELD');
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Returns attempts that no worker claimed in time. */
    unclaimed: (now: number, limit: number): Promise<Run[]> =>
      db
        .selectFrom('runs')
        .selectAll()
        .where(isQueued)
        .where('claim_by', '<=', now)
        .orderBy('claim_by')
        .limit(limit)
        .execute(),
    /** Shifts all instants of attempts by `ms` after a clock change. */
    async shift(ms: number): Promise<void> {
      const by = sql`cast(${ms} as bigint)`;
      await sql`update runs set not_before = not_before + ${by}, claim_by = claim_by + ${by},
        claimed_at = claimed_at + ${by}, lease_until = lease_until + ${by},
        first_started_at = first_started_at + ${by}`.execute(db);
    },
    async countWaiting(): Promise<number> {
      const query = db.selectFrom('runs').where('state', 'in', ['HELD', 'QUEUED']);
      return (await query.select((to) => to.fn.countAll<number>().as('count')).executeTakeFirstOrThrow())
        .count;
    },
  };
}

/** Returns the condition that a worker can run the attempt. */
function runnableBy(dialect: DialectName, { checkTypes, runtimes, anyRuntimeBefore }: Capability) {
  const runtime =
    dialect === 'postgres'
      ? sql`session.plan::json #>> '{check,runtimeId}'`
      : sql`json_extract(session.plan, '$.check.runtimeId')`;
  const isThere = runtimes.length === 0 ? sql`1 = 0` : sql`${runtime} in (${sql.join(runtimes)})`;
  return sql<SqlBool>`exists (select 1 from check_sessions as session where session.id = runs.session_id
    and session.check_type in (${sql.join(checkTypes)})
    and (runs.not_before <= cast(${anyRuntimeBefore} as bigint) or ${runtime} is null or ${isThere}))`;
}

/** Returns the smallest instant; null if all are null. */
export function earliest(...instants: readonly (number | null)[]): number | null {
  const known = instants.filter((instant) => instant !== null);
  return known.length === 0 ? null : Math.min(...known);
}
