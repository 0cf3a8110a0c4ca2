/** `sonde private-locations create`. */
import { createPrivateLocation } from '../../src/contract/index.ts';
import { KEEP_IT, privateLocations } from '../shared/resources/private-locations.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(privateLocations, {
  endpoint: createPrivateLocation,
  description: 'Checks name it by its slug, and its agents sign in by a key, which is shown this once.',
  interview: [{ flag: 'name' }, { flag: 'slug-name', message: 'Slug that checks name it by' }],
  tell: ({ terminal }) => terminal.note(KEEP_IT),
  examples: [
    {
      line: 'private-locations create --name Cellar --slug-name cellar',
      does: 'makes one, with a key for its agents',
    },
    {
      line: "private-locations create --name Cellar --slug-name cellar --jq '.keys[0].rawKey' > key",
      does: 'writes the key to a file',
    },
  ],
});
