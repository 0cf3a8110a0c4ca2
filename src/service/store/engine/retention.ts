/** What goes when its time is over: raw results that are rolled up, and what has nothing left to tell without them. */
import { type SqlBool, sql } from 'kysely';
import type { StoreContext } from '../context.ts';

export function retention({ db }: StoreContext) {
  /** Rows of a table by id: as many as were removed. */
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
    /** Removes results that were stored before then, none that still waits to be rolled up. Answers how many. */
    async removeResults(before: number, limit: number): Promise<number> {
      const query = db.selectFrom('results').select('id').where('created_at', '<', before);
      return remove(
        'results',
        await query.where('rolled_up', '=', 1).orderBy('created_at').limit(limit).execute(),
      );
    },
    /** Removes sessions that ended before then and have no results any more. Answers how many. */
    async removeSessions(before: number, limit: number): Promise<number> {
      const query = db
        .selectFrom('check_sessions')
        .select('id')
        .where('stopped_at', '<', before)
        .where(sql<SqlBool>`not exists (select 1 from results where results.session_id = check_sessions.id)`);
      return remove('check_sessions', await query.orderBy('stopped_at').limit(limit).execute());
    },
    /** Removes test sessions that ended before then and whose sessions are gone. Answers how many. */
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
    /** Removes test sessions that are not recorded and ended before then, with all that they found. Answers how many. */
    async removeUnrecorded(before: number, limit: number): Promise<number> {
      // Written out, not bound: SQLite uses an index of some rows only where it sees that it may.
      const query = db.selectFrom('test_sessions').select('id').where(sql<SqlBool>`is_recorded = 0`);
      return remove('test_sessions', await query.where('stopped_at', '<', before).limit(limit).execute());
    },
    /** Removes error groups last seen before then that nobody has archived. Answers how many. */
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
