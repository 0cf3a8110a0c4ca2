/** Counts how often the worker of an attempt was lost, so that a check that ends its worker is not started for ever. */
import { addColumns, type Migration } from './migrate.ts';

export const lossesOfRuns: Migration = {
  name: '038-losses-of-runs',
  up: (db, columns) => addColumns(db, columns, 'runs', { losses: 'integer not null default 0' }),
};
