/** Sessions and results that belong to no stored check: those of a suite that was sent for a test session. */
import type { Migration } from './migration.ts';

export const suitesOfTests: Migration = {
  name: '012-suites-of-tests',
  async up(db, { letBeNull }) {
    await letBeNull(db, 'check_sessions', 'check_id');
    await letBeNull(db, 'results', 'check_id');
  },
};
