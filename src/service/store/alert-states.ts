/** Where the alerts of each check stand. A check of which nothing is to be remembered has no row. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { kept } from './kept.ts';

export interface AlertStateRecord {
  readonly checkId: string;
  readonly accountId: string;
  /** JSON, as it was written. */
  readonly state: string;
  readonly dueAt: number | null;
}

const among = kept((db, checkIds: readonly string[]) =>
  db.selectFrom('alert_states').select('check_id').where('check_id', 'in', checkIds),
);

export function alertStates(context: StoreContext) {
  const { db } = context;
  return {
    /** Those of these checks of which something is remembered. */
    async among(checkIds: readonly string[]): Promise<string[]> {
      if (checkIds.length === 0) return [];
      return (await among(context, checkIds)).map(({ check_id }) => check_id);
    },
    /** Reads what is known of a check and keeps others from changing it until the transaction ends. `fresh`: what a new row says. */
    async lock({ checkId, accountId, state }: Omit<AlertStateRecord, 'dueAt'>): Promise<AlertStateRecord> {
      await db
        .insertInto('alert_states')
        .values({ check_id: checkId, account_id: accountId, state, due_at: null })
        .onConflict((conflict) => conflict.column('check_id').doNothing())
        .execute();
      const row = await db
        .updateTable('alert_states')
        .set({ state: sql<string>`state` })
        .where('check_id', '=', checkId)
        .returningAll()
        .executeTakeFirstOrThrow();
      return { checkId, accountId: row.account_id, state: row.state, dueAt: row.due_at };
    },
    async write({ checkId, state, dueAt }: Omit<AlertStateRecord, 'accountId'>): Promise<void> {
      const query = db.updateTable('alert_states').set({ state, due_at: dueAt });
      await query.where('check_id', '=', checkId).execute();
    },
    async forget(checkId: string): Promise<void> {
      await db.deleteFrom('alert_states').where('check_id', '=', checkId).execute();
    },
    /** The checks of which something is due, the longest due first. */
    async due(now: number, limit: number): Promise<{ checkId: string; accountId: string }[]> {
      return db
        .selectFrom('alert_states')
        .select(['check_id as checkId', 'account_id as accountId'])
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .limit(limit)
        .execute();
    },
    async nextInstant(): Promise<number | null> {
      const query = db.selectFrom('alert_states').select((to) => to.fn.min('due_at').as('due'));
      return (await query.executeTakeFirst())?.due ?? null;
    },
    /**
     * Whether a session of the check that started after an instant has a verdict already: then an older one comes too late.
     * `but`: sessions that end in the same transaction, and have not had their say.
     */
    async isOutdated(checkId: string, startedAt: number, but: readonly string[]): Promise<boolean> {
      let query = db
        .selectFrom('check_sessions')
        .select('id')
        .where('check_id', '=', checkId)
        .where('started_at', '>', startedAt)
        .where('test_session_id', 'is', null)
        .where('status', 'in', ['PASSED', 'DEGRADED', 'FAILED']);
      if (but.length > 0) query = query.where('id', 'not in', but);
      return (await query.limit(1).executeTakeFirst()) !== undefined;
    },
  };
}
