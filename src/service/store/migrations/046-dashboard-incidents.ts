/** Creates the table of the incidents of dashboards. */
import { createIndex, type Migration, table } from './migrate.ts';

export const dashboardIncidents: Migration = {
  name: '046-dashboard-incidents',
  async up(db, columns) {
    await table(db, columns, 'dashboard_incidents', {
      id: 'text primary key',
      account_id: 'text not null references accounts.id',
      dashboard_id: 'text not null references dashboards.id',
      body: 'text not null',
      starts_at: 'bigint',
      ends_at: 'bigint',
      created_at: 'bigint not null',
      updated_at: 'bigint',
    }).execute();
    await createIndex(
      db,
      'dashboard_incidents_of_account',
      'dashboard_incidents',
      'account_id, created_at, id',
    );
    await createIndex(
      db,
      'dashboard_incidents_of_dashboard',
      'dashboard_incidents',
      'dashboard_id, created_at',
    );
  },
};
