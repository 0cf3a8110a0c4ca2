/** `sonde groups get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { groups } from '../../src/cli/resources/groups.ts';

export const command = getCommand(groups, {
  examples: [{ line: 'groups get 12', does: 'Show a group' }],
});
