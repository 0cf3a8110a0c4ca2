/** Stores the leases of workers on attempts. The names of an agent's workers share a prefix. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import type { RunRow } from '../tables/engine.ts';

// Literals, not parameters: SQLite uses a partial index only if the statement repeats its condition.
export const isQueued = sql<SqlBool>`state = 'QUEUED'`;
export const isRunning = sql<SqlBool>`state = 'RUNNING'`;

/** The columns of an unclaimed attempt. */
const UNCLAIMED = { state: 'QUEUED', claimed_by: null, claimed_at: null, lease_until: null } as const;

/**
 * Returns the columns of a released attempt. Its claim deadline may have passed during the lease, so it is extended to
 * `claimBy` (ms), but only as far as the attempt can end before its session's deadline.
 */
const releasedColumns = (claimBy: number) => {
  const last = sql`coalesce((select ends_by from check_sessions where check_sessions.id = runs.session_id) - timeout_ms, ${claimBy})`;
  const until = sql`case when ${last} < ${claimBy} then ${last} else ${claimBy} end`;
  return {
    ...UNCLAIMED,
    claim_by: sql<number>`case when ${until} > claim_by then ${until} else claim_by end`,
  };
};

/** Returns the condition that an agent's key is not revoked. */
export const isAgentKeyValid = (id: string) =>
  sql<SqlBool>`exists (select 1 from private_location_keys where private_location_keys.id = ${id})`;

export function leases({ db }: StoreContext) {
  const updateOfPrefix = (prefix: string) =>
    db.updateTable('runs').where(isRunning).where('claimed_by', 'like', `${prefix}%`);
  return {
    /** Returns the attempts that a worker holds. */
    heldBy: (worker: string): Promise<Selectable<RunRow>[]> =>
      db
        .selectFrom('runs')
        .selectAll()
        .where(isRunning)
        .where('claimed_by', '=', worker)
        .orderBy('id')
        .execute(),
    /** Returns whether a worker with the prefix holds an attempt whose plan names the code bundle. */
    async holdsBundle(prefix: string, bundleId: string): Promise<boolean> {
      const held = db
        .selectFrom('runs')
        .select('id')
        .where(isRunning)
        .where('claimed_by', 'like', `${prefix}%`)
        .where(
          sql<SqlBool>`exists (select 1 from check_sessions where check_sessions.id = runs.session_id
            and check_sessions.plan like ${`%"${bundleId}"%`})`,
        );
      return (await held.limit(1).executeTakeFirst()) !== undefined;
    },
    /** Renews leases; returns the attempts that the worker still holds. */
    async renew(worker: string, ids: readonly number[], leaseUntil: number): Promise<number[]> {
      if (ids.length === 0) return [];
      const query = db.updateTable('runs').set({ lease_until: leaseUntil }).where('claimed_by', '=', worker);
      return (await query.where('id', 'in', ids).returning('id').execute()).map(({ id }) => id);
    },
    /** Renews leases of all workers with the prefix; returns the attempts that they still hold. */
    async renewAll(prefix: string, ids: readonly number[], leaseUntil: number): Promise<number[]> {
      if (ids.length === 0) return [];
      const query = updateOfPrefix(prefix).set({ lease_until: leaseUntil });
      return (await query.where('id', 'in', ids).returning('id').execute()).map(({ id }) => id);
    },
    /** Releases attempts that the worker will not finish. `claimBy`: see {@link releasedColumns}. */
    async release(worker: string, ids: readonly number[], claimBy: number): Promise<void> {
      if (ids.length === 0) return;
      const query = db.updateTable('runs').set(releasedColumns(claimBy)).where('claimed_by', '=', worker);
      await query.where('id', 'in', ids).execute();
    },
    /**
     * Releases attempts of workers with the prefix, except `except` and attempts claimed after `claimedBefore` (ms, on the clock
     * of the service that claimed); returns their number. `claimBy`: see {@link releasedColumns}.
     */
    async releaseAll(
      prefix: string,
      except: readonly number[],
      claimBy: number,
      claimedBefore?: number,
    ): Promise<number> {
      let query = updateOfPrefix(prefix).set(releasedColumns(claimBy));
      if (claimedBefore !== undefined) query = query.where('claimed_at', '<=', claimedBefore);
      if (except.length > 0) query = query.where('id', 'not in', except);
      return Number((await query.executeTakeFirst()).numUpdatedRows);
    },
    /** Requeues an attempt whose lease expired, and counts the loss, with a new claim deadline (ms); false if it has changed. */
    async requeue({ id, claimed_by, lease_until }: Selectable<RunRow>, claimBy: number): Promise<boolean> {
      const query = db
        .updateTable('runs')
        .set({ ...UNCLAIMED, claim_by: claimBy, losses: sql`losses + 1` })
        .where('id', '=', id)
        .where('state', '=', 'RUNNING')
        .where('claimed_by', '=', claimed_by)
        .where('lease_until', '=', lease_until);
      return (await query.executeTakeFirst()).numUpdatedRows > 0n;
    },
    /** Returns attempts whose lease has expired. */
    expired: (now: number, limit: number): Promise<Selectable<RunRow>[]> =>
      db
        .selectFrom('runs')
        .selectAll()
        .where(isRunning)
        .where('lease_until', '<=', now)
        .orderBy('lease_until')
        .limit(limit)
        .execute(),
    /** Ends the leases of all workers with the prefix, because their process has ended. */
    async endLeases(prefix: string, now: number): Promise<void> {
      await updateOfPrefix(prefix).set({ lease_until: now }).execute();
    },
    /** Extends the leases of workers with the prefix to at least an instant (ms). */
    async extendLeases(prefix: string, until: number): Promise<void> {
      await updateOfPrefix(prefix).set({ lease_until: until }).where('lease_until', '<', until).execute();
    },
    /** Returns the attempts, of those given, whose session was cancelled. */
    async cancelledAmong(ids: readonly number[]): Promise<number[]> {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('runs')
        .innerJoin('check_sessions as session', 'session.id', 'runs.session_id')
        .select('runs.id')
        .where('runs.id', 'in', ids)
        .where('session.cancelled_at', 'is not', null)
        .execute();
      return rows.map(({ id }) => id);
    },
    /** Returns when the next attempt of the pool is due after `now` (null if none), and whether the agent's key is not revoked. */
    async nextDue(
      pool: string,
      accountId: string,
      now: number,
      agentKeyId: string,
    ): Promise<{ readonly due: number | null; readonly isKnown: boolean }> {
      const next = db
        .selectFrom('runs')
        .select('not_before')
        .where(isQueued)
        .where('pool', '=', pool)
        .where('account_id', '=', accountId)
        .where('not_before', '>', now)
        .orderBy('not_before')
        .limit(1);
      const row = await db
        .selectNoFrom([next.as('due'), isAgentKeyValid(agentKeyId).as('isKnown')])
        .executeTakeFirstOrThrow();
      return { due: row.due, isKnown: Boolean(row.isKnown) };
    },
  };
}
