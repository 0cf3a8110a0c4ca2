/** `sonde groups create`. */
import { createCheckGroup } from '../../src/contract/index.ts';
import { groupFlags, groups } from '../shared/resources/groups.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(groups, {
  endpoint: createCheckGroup,
  flags: groupFlags,
  description: 'What a group sets overrides what its checks set. A check names its group with --group-id.',
  interview: [
    { flag: 'name' },
    { flag: 'locations', message: 'Where its checks run from (none: as each check says)' },
    { flag: 'tags', message: 'Tags (Enter for none)' },
  ],
  examples: [
    {
      line: 'groups create --name Shop --locations eu-west-1,us-east-1',
      does: 'runs its checks from two locations',
    },
  ],
});
