/** Deletes expired data: rolled-up results, and sessions and error groups without results. */
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';

type Table = 'results' | 'check_sessions' | 'test_sessions' | 'error_groups';

/** Each function deletes up to `limit` rows from before an instant, and returns their number. */
export function retention({ db }: StoreContext) {
  async function remove(
    table: Table,
    query: { execute(): Promise<{ readonly id: string }[]> },
  ): Promise<number> {
    const ids = (await query.execute()).map(({ id }) => id);
    if (ids.length === 0) return 0;
    return Number((await db.deleteFrom(table).where('id', 'in', ids).executeTakeFirst()).numDeletedRows);
  }
  return {
    /** Deletes results that were stored before then and are rolled up. */
    removeResults(before: number, limit: number): Promise<number> {
      const query = db.selectFrom('results').select('id').where('created_at', '<', before);
      return remove('results', query.where('rolled_up', '=', 1).orderBy('created_at').limit(limit));
    },
    /** Deletes sessions that ended before then and have no results left. */
    removeSessions(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('check_sessions')
        .select('id')
        .where('stopped_at', '<', before)
        .where(sql<SqlBool>`not exists (select 1 from results where results.session_id = check_sessions.id)`);
      return remove('check_sessions', query.orderBy('stopped_at').limit(limit));
    },
    /** Deletes test sessions that ended before then and have no sessions left. */
    removeTestSessions(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('test_sessions')
        .select('id')
        .where('stopped_at', '<', before)
        .where(
          sql<SqlBool>`not exists (select 1 from check_sessions where check_sessions.test_session_id = test_sessions.id)`,
        );
      return remove('test_sessions', query.orderBy('stopped_at').limit(limit));
    },
    /** Deletes unrecorded test sessions that ended before then, with their sessions and results. */
    removeUnrecorded(before: number, limit: number): Promise<number> {
      // A literal, not a parameter: SQLite uses a partial index only if the statement repeats its condition.
      const query = db.selectFrom('test_sessions').select('id').where(sql<SqlBool>`is_recorded = 0`);
      return remove('test_sessions', query.where('stopped_at', '<', before).limit(limit));
    },
    /** Deletes error groups last seen before then that are not archived. */
    removeErrorGroups(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('error_groups')
        .select('id')
        .where('last_seen', '<', before)
        .where('archived_for_ever', '=', 0)
        .where('archived_until_next_event', '=', 0);
      return remove('error_groups', query.orderBy('last_seen').limit(limit));
    },
  };
}
