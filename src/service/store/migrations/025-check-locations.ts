/** Creates the table of the last result of each check in each location, and tells retries where their first attempt ran. */
import { addColumns, type Migration, table } from './migrate.ts';

export const checkLocations: Migration = {
  name: '025-check-locations',
  async up(db, columns) {
    await table(db, columns, 'check_locations', {
      check_id: 'text not null references checks.id',
      location: 'text not null',
      account_id: 'text not null',
      status: 'text',
      result_id: 'text',
      started_at: 'bigint',
      response_time_us: 'bigint',
      phases: 'text',
      certificate: 'text',
      good_result_id: 'text',
      passed: 'bigint not null default 0',
      degraded: 'bigint not null default 0',
      failed: 'bigint not null default 0',
      errors: 'bigint not null default 0',
    })
      .addPrimaryKeyConstraint('check_locations_key', ['check_id', 'location'])
      .execute();
    await addColumns(db, columns, 'runs', { first_location: 'text' });
  },
};
