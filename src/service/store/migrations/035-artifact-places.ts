/** Adds the place of each file of a run, because services that share a database have folders of their own. */
import { addColumns, type Migration } from './migrate.ts';

export const artifactPlaces: Migration = {
  name: '035-artifact-places',
  up: (db, columns) => addColumns(db, columns, 'artifacts', { place: 'text' }),
};
