/** `sonde dashboards get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';

export const command = getCommand(dashboards);
