/** `sonde dashboards list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { listDashboards } from '../../src/contract/index.ts';

export const command = listCommand(dashboards, listDashboards);
