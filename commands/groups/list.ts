/** `sonde groups list`. */
import { listCheckGroups } from '../../src/contract/index.ts';
import { groups } from '../shared/resources/groups.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(groups, {
  endpoint: listCheckGroups,
  whenNone: '"sonde groups create" makes one.',
  examples: [{ line: 'groups list --all', does: 'lists every page' }],
});
