/** `sonde dashboards open`. */
import { openCommand } from '../../src/cli/resource-commands/open.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';

export const command = openCommand(dashboards);
