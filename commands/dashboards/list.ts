/** `sonde dashboards list`. */
import { listDashboards } from '../../src/contract/index.ts';
import { dashboards } from '../shared/resources/dashboards.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(dashboards, {
  endpoint: listDashboards,
  whenNone: '"sonde dashboards create" makes one.',
  examples: [{ line: 'dashboards list --all', does: 'lists every page' }],
});
