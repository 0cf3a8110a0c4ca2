/** `sonde groups list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { groups } from '../../src/cli/resources/groups.ts';
import { listCheckGroups } from '../../src/contract/index.ts';

export const command = listCommand(groups, listCheckGroups);
