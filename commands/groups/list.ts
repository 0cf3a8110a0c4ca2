/** `sonde groups list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { groups } from '../../src/cli/resources/groups.ts';

export const command = listCommand(groups);
