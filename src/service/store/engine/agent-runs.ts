/** Attempts that agents hold: they claim under many names that begin alike, and wait where there is nothing. */
import { type Selectable, type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';
import type { RunRow } from '../tables/engine.ts';
import { isQueued, isRunning } from './states.ts';

/** What an attempt is that nobody holds. */
export const QUEUED = { state: 'QUEUED', claimed_by: null, claimed_at: null, lease_until: null } as const;

/**
 * An attempt that is given back, to be claimed by an instant (ms) at least, while it can be over before its session must be: its
 * time to be claimed may have passed while it was held.
 */
export const givenBack = (claimBy: number) => {
  const last = sql`coalesce((select ends_by from check_sessions where check_sessions.id = runs.session_id) - timeout_ms, ${claimBy})`;
  const until = sql`case when ${last} < ${claimBy} then ${last} else ${claimBy} end`;
  return { ...QUEUED, claim_by: sql<number>`case when ${until} > claim_by then ${until} else claim_by end` };
};

/** Whether an agent's key still stands. */
export const isAgentKey = (id: string) =>
  sql<SqlBool>`exists (select 1 from private_location_keys where private_location_keys.id = ${id})`;

export function agentRuns({ db }: StoreContext) {
  return {
    /** What a worker holds. */
    heldBy: (worker: string): Promise<Selectable<RunRow>[]> =>
      db
        .selectFrom('runs')
        .selectAll()
        .where(isRunning)
        .where('claimed_by', '=', worker)
        .orderBy('id')
        .execute(),
    /** Prolongs leases of all workers whose name begins so; answers which of the attempts they still hold. */
    async renewAll(prefix: string, ids: readonly number[], leaseUntil: number): Promise<number[]> {
      if (ids.length === 0) return [];
      const held = await db
        .updateTable('runs')
        .set({ lease_until: leaseUntil })
        .where(isRunning)
        .where('claimed_by', 'like', `${prefix}%`)
        .where('id', 'in', ids)
        .returning('id')
        .execute();
      return held.map(({ id }) => id);
    },
    /**
     * Puts back what workers whose name begins so hold, but for some, and where an instant is named (ms) for what they have since
     * after it; answers how many. Who claimed had a clock of its own where services share the store. `claimBy`: of `givenBack`.
     */
    async releaseAll(
      prefix: string,
      keep: readonly number[],
      claimBy: number,
      claimedBefore?: number,
    ): Promise<number> {
      let query = db
        .updateTable('runs')
        .set(givenBack(claimBy))
        .where(isRunning)
        .where('claimed_by', 'like', `${prefix}%`);
      if (claimedBefore !== undefined) query = query.where('claimed_at', '<=', claimedBefore);
      if (keep.length > 0) query = query.where('id', 'not in', keep);
      return Number((await query.executeTakeFirst()).numUpdatedRows);
    },
    /** Those of the attempts whose session was asked to stop. */
    async cancelledOf(ids: readonly number[]): Promise<number[]> {
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
    /**
     * What an agent that finds nothing waits for: when the next attempt of its pool is due, after now (null: none waits for its
     * time), and whether its key still stands.
     */
    async outlook(
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
      const found = await db
        .selectNoFrom([next.as('due'), isAgentKey(agentKeyId).as('isKnown')])
        .executeTakeFirstOrThrow();
      return { due: found.due, isKnown: Boolean(found.isKnown) };
    },
    /** Lets no lease of the workers whose name begins so end before an instant (ms). */
    async prolongLeases(prefix: string, until: number): Promise<void> {
      await db
        .updateTable('runs')
        .set({ lease_until: until })
        .where(isRunning)
        .where('claimed_by', 'like', `${prefix}%`)
        .where('lease_until', '<', until)
        .execute();
    },
  };
}
