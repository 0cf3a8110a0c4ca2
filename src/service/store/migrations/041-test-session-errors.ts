/** Records the test sessions' share of error groups: where and when their runs failed with the error. */
import { sql } from 'kysely';
import { type Migration, table } from './migrate.ts';

export const testSessionErrors: Migration = {
  name: '041-test-session-errors',
  async up(db, columns) {
    const errors = table(db, columns, 'test_session_errors', {
      group_id: 'text not null references error_groups.id',
      environment: 'text not null',
      first_seen: 'bigint not null',
      last_seen: 'bigint not null',
    });
    await errors.addPrimaryKeyConstraint('test_session_errors_key', ['group_id', 'environment']).execute();
    // The environments of earlier failures are not known to both databases in one statement, so they have none.
    await sql`insert into test_session_errors (group_id, environment, first_seen, last_seen)
      select error_groups.id, '', min(results.stopped_at), max(results.stopped_at) from results
      join error_groups on error_groups.check_id = results.check_id
        and results.error_group_ids like '%"' || error_groups.id || '"%'
      where results.test_session_id is not null and results.error_group_ids <> '[]'
      group by error_groups.id`.execute(db);
  },
};
