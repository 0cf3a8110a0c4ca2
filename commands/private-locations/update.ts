/** `sonde private-locations update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';
import { updatePrivateLocation } from '../../src/contract/index.ts';

export const command = updateCommand(privateLocations, updatePrivateLocation, {
  examples: [
    {
      line: 'private-locations update 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f --name Cellar',
      does: 'Rename a private location',
    },
  ],
});
