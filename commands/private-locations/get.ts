/** `sonde private-locations get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';
import { getPrivateLocation } from '../../src/contract/index.ts';

export const command = getCommand(privateLocations, {
  endpoint: getPrivateLocation,
  examples: [
    { line: 'private-locations get 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f', does: 'Show a private location' },
  ],
});
