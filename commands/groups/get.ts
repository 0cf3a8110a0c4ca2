/** `sonde groups get`. */
import { getCheckGroup } from '../../src/contract/index.ts';
import { groups } from '../shared/resources/groups.ts';
import { getCommand } from '../shared/resources/read.ts';

export const command = getCommand(groups, {
  endpoint: getCheckGroup,
  examples: [{ line: 'groups get 12', does: 'Show a group' }],
});
