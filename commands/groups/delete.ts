/** `sonde groups delete`, and its alias `sonde delete group`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { groups } from '../../src/cli/resources/groups.ts';
import { deleteCheckGroup } from '../../src/contract/index.ts';

export const command = deleteCommand(groups, deleteCheckGroup, {
  description: 'With --force, its checks no longer belong to a group.',
});
