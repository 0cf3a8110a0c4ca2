/** Adds the repetitions of a maintenance window that were moved or cancelled. */
import { addColumns, type Migration } from './migrate.ts';

export const maintenanceExceptions: Migration = {
  name: '047-maintenance-exceptions',
  up: (db, columns) => addColumns(db, columns, 'maintenance_states', { exceptions: 'text' }),
};
