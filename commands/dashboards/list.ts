/** `sonde dashboards list`. */
import { listDashboards } from '../../src/contract/index.ts';
import { dashboards } from '../shared/resources/dashboards.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(dashboards, {
  endpoint: listDashboards,
  whenNone: 'Create one with "sonde dashboards create".',
  examples: [{ line: 'dashboards list --all', does: 'List all dashboards' }],
});
