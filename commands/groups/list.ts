/** `sonde groups list`. */
import { listCheckGroups } from '../../src/contract/index.ts';
import { groups } from '../shared/resources/groups.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(groups, {
  endpoint: listCheckGroups,
  whenNone: 'Create one with "sonde groups create".',
  examples: [{ line: 'groups list --all', does: 'List all groups' }],
});
