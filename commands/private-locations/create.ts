/** `sonde private-locations create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { KEY_SHOWN_ONCE, privateLocations } from '../../src/cli/resources/private-locations.ts';
import { createPrivateLocation } from '../../src/contract/index.ts';

export const command = createCommand(privateLocations, createPrivateLocation, {
  description:
    'Checks refer to the private location by its slug. Agents authenticate with a key, which is printed once.',
  interview: [{ flag: 'name' }, { flag: 'slug-name', message: 'Slug' }],
  onCreated: ({ terminal }) => terminal.note(KEY_SHOWN_ONCE),
  examples: [
    {
      line: 'private-locations create --name Cellar --slug-name cellar',
      does: 'Create a private location with a key for its agents',
    },
    {
      line: "private-locations create --name Cellar --slug-name cellar --jq '.keys[0].rawKey' > key",
      does: 'Write the key of a new private location to a file',
    },
  ],
});
