/** Adds the version of each agent, as it reported on its start. */
import { addColumns, type Migration } from './migrate.ts';

export const agentVersions: Migration = {
  name: '039-agent-versions',
  up: (db, columns) => addColumns(db, columns, 'private_location_agents', { version: 'text' }),
};
