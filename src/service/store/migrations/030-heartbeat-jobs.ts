/** Adds the runs of a heartbeat's job that have started and not ended, and its schedule as a cron expression. */
import { sql } from 'kysely';
import { addColumns, type Migration } from './migrate.ts';

export const heartbeatJobs: Migration = {
  name: '030-heartbeat-jobs',
  async up(db, columns) {
    await addColumns(db, columns, 'heartbeats', {
      job: 'text',
      run_due_at: 'bigint',
      cron: 'text',
      timezone: 'text',
    });
    // Few jobs are running at any time.
    await sql`create index heartbeats_by_run_due_at on heartbeats (run_due_at) where run_due_at is not null`.execute(
      db,
    );
  },
};
