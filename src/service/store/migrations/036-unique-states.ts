/** Makes the names of snippets with states of projects unique, so that two applies cannot start one project. */
import { createIndex, type Migration } from './migrate.ts';

export const uniqueStates: Migration = {
  name: '036-unique-states',
  async up(db) {
    // Existing snippets have no unique value until they are next written.
    await createIndex(db, 'snippets_account_id_unique_key', 'snippets', 'account_id, unique_key', true);
  },
};
