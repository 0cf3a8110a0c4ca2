/** Stores the alert state of each check. A check without a row has the initial state. */
import { sql } from 'kysely';
import type { StoreContext } from './context.ts';
import { prepareStatement } from './prepared-statements.ts';

export interface AlertStateRecord {
  readonly checkId: string;
  readonly accountId: string;
  /** JSON. */
  readonly state: string;
  readonly dueAt: number | null;
}

/** An ended session. */
export interface EndedSessionRecord {
  /** JSON: the locations in which it ran. */
  readonly locations: string;
  /** The flags of its final results. */
  readonly finals: readonly {
    readonly has_failures: number;
    readonly has_errors: number;
    readonly is_degraded: number;
    readonly is_cancelled: number;
  }[];
}

const MAX_NEWER_SESSIONS = 100;

const selectWithState = prepareStatement((db, checkIds: readonly string[]) =>
  db.selectFrom('alert_states').select('check_id').where('check_id', 'in', checkIds),
);

export function alertStates(context: StoreContext) {
  const { db } = context;
  return {
    /** Returns the checks, of those given, that have a state. */
    async withState(checkIds: readonly string[]): Promise<string[]> {
      if (checkIds.length === 0) return [];
      return (await selectWithState(context, checkIds)).map(({ check_id }) => check_id);
    },
    /** Reads the state of a check, and locks it until the transaction ends. Without a row, it inserts the given state. */
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
    async delete(checkId: string): Promise<void> {
      await db.deleteFrom('alert_states').where('check_id', '=', checkId).execute();
    },
    /** Returns the checks with a due reminder or escalation, longest due first. */
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
     * Returns up to 100 sessions of a check that started after an instant and ended with a verdict, newest first. `except`
     * excludes sessions that end in the same transaction and are not evaluated yet.
     */
    async newer(
      checkId: string,
      startedAt: number,
      except: readonly string[],
    ): Promise<EndedSessionRecord[]> {
      let query = db
        .selectFrom('check_sessions')
        .select(['id', 'locations'])
        .where('check_id', '=', checkId)
        .where('started_at', '>', startedAt)
        .where('test_session_id', 'is', null)
        .where('status', 'in', ['PASSED', 'DEGRADED', 'FAILED']);
      if (except.length > 0) query = query.where('id', 'not in', except);
      const sessions = await query.orderBy('started_at', 'desc').limit(MAX_NEWER_SESSIONS).execute();
      if (sessions.length === 0) return [];
      const finals = await db
        .selectFrom('results')
        .select(['session_id', 'has_failures', 'has_errors', 'is_degraded', 'is_cancelled'])
        .where('session_id', 'in', [...sessions.map(({ id }) => id)])
        .where('result_type', '=', 'FINAL')
        .execute();
      return sessions.map(({ id, locations }) => ({
        locations,
        finals: finals.filter(({ session_id }) => session_id === id),
      }));
    },
  };
}
