/** `sonde dashboards delete`, and its alias `sonde delete dashboard` (endpoint 15). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { deleteDashboard, getDashboard } from '../../src/contract/index.ts';

export const command = deleteCommand(dashboards, {
  endpoint: deleteDashboard,
  get: getDashboard,
  sample: '3c5d7e9f',
});
