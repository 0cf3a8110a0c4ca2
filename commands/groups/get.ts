/** `sonde groups get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { groups } from '../../src/cli/resources/groups.ts';
import { getCheckGroup } from '../../src/contract/index.ts';

export const command = getCommand(groups, {
  endpoint: getCheckGroup,
  examples: [{ line: 'groups get 12', does: 'Show a group' }],
});
