/** `sonde dashboards delete`, and its alias `sonde delete dashboard` (endpoint 15). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { deleteDashboard } from '../../src/contract/index.ts';

export const command = deleteCommand(dashboards, deleteDashboard);
