/** Adds the run that caused an alert to its messages. Earlier alerts have none. */
import { addColumns, type Migration } from './migrate.ts';

export const runsOfAlerts: Migration = {
  name: '042-runs-of-alerts',
  async up(db, columns) {
    for (const table of ['outbox', 'bundled_alerts']) await addColumns(db, columns, table, { run: 'text' });
  },
};
