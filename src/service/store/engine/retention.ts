/** Deletes expired data: rolled-up results, and sessions and error groups without results. */
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';

export function retention({ db }: StoreContext) {
  /** Deletes rows by ID; returns their number. */
  async function remove(
    table: 'results' | 'check_sessions' | 'test_sessions' | 'error_groups',
    ids: readonly { readonly id: string }[],
  ): Promise<number> {
    if (ids.length === 0) return 0;
    const query = db.deleteFrom(table).where(
      'id',
      'in',
      ids.map(({ id }) => id),
    );
    return Number((await query.executeTakeFirst()).numDeletedRows);
  }
  return {
    /** Deletes results that were stored before then and are rolled up; returns their number. */
    async removeResults(before: number, limit: number): Promise<number> {
      const query = db.selectFrom('results').select('id').where('created_at', '<', before);
      return remove(
        'results',
        await query.where('rolled_up', '=', 1).orderBy('created_at').limit(limit).execute(),
      );
    },
    /** Deletes sessions that ended before then and have no results left; returns their number. */
    async removeSessions(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('check_sessions')
        .select('id')
        .where('stopped_at', '<', before)
        .where(sql<SqlBool>`not exists (select 1 from results where results.session_id = check_sessions.id)`);
      return remove('check_sessions', await query.orderBy('stopped_at').limit(limit).execute());
    },
    /** Deletes test sessions that ended before then and have no sessions left; returns their number. */
    async removeTestSessions(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('test_sessions')
        .select('id')
        .where('stopped_at', '<', before)
        .where(
          sql<SqlBool>`not exists (select 1 from check_sessions where check_sessions.test_session_id = test_sessions.id)`,
        );
      return remove('test_sessions', await query.orderBy('stopped_at').limit(limit).execute());
    },
    /** Deletes unrecorded test sessions that ended before then, with their sessions and results; returns their number. */
    async removeUnrecorded(before: number, limit: number): Promise<number> {
      // A literal, not a parameter: SQLite uses a partial index only if the statement repeats its condition.
      const query = db.selectFrom('test_sessions').select('id').where(sql<SqlBool>`is_recorded = 0`);
      return remove('test_sessions', await query.where('stopped_at', '<', before).limit(limit).execute());
    },
    /** Deletes error groups last seen before then that are not archived; returns their number. */
    async removeErrorGroups(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('error_groups')
        .select('id')
        .where('last_seen', '<', before)
        .where('archived_for_ever', '=', 0)
        .where('archived_until_next_event', '=', 0);
      return remove('error_groups', await query.orderBy('last_seen').limit(limit).execute());
    },
  };
}
