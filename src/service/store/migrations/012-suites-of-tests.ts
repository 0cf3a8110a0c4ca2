/** Allows sessions and results of test suites, which have no stored check. */
import type { Migration } from './migration.ts';

export const suitesOfTests: Migration = {
  name: '012-suites-of-tests',
  async up(db, { dropNotNull }) {
    await dropNotNull(db, 'check_sessions', 'check_id');
    await dropNotNull(db, 'results', 'check_id');
  },
};
