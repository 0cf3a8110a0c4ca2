/** `sonde groups create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { groupFlags, groups } from '../../src/cli/resources/groups.ts';
import { createCheckGroup } from '../../src/contract/index.ts';

export const command = createCommand(groups, createCheckGroup, {
  flags: groupFlags,
  description:
    'The settings of a group override those of its checks. To add a check to a group, set --group-id on the check.',
  interview: [
    { flag: 'name' },
    { flag: 'locations', message: 'Locations of the checks (none: the locations of each check)' },
    { flag: 'tags', message: 'Tags (Enter for none)' },
  ],
  examples: [
    {
      line: 'groups create --name Shop --locations eu-west-1,us-east-1',
      does: 'Create a group whose checks run from two locations',
    },
  ],
});
