/** Adds the tests of the results of Playwright suites, so that charts do not read whole results. Older results have none. */
import { createIndex, type Migration, table } from './migrate.ts';

export const suiteRuns: Migration = {
  name: '032-suite-runs',
  async up(db, columns) {
    await table(db, columns, 'suite_runs', {
      result_id: 'text primary key references results.id',
      account_id: 'text not null',
      check_id: 'text not null',
      location: 'text not null',
      started_at: 'bigint not null',
      tests: 'text not null',
    }).execute();
    await createIndex(db, 'suite_runs_by_check', 'suite_runs', 'check_id, started_at, result_id');
  },
};
