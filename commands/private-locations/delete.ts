/** `sonde private-locations delete`, and its alias `sonde delete private-location` (endpoint 16). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';
import { deletePrivateLocation, getPrivateLocation } from '../../src/contract/index.ts';

export const command = deleteCommand(privateLocations, {
  endpoint: deletePrivateLocation,
  get: getPrivateLocation,
  sample: '2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f',
  description:
    'Agents of the location receive no more work. With --force, sonde pauses checks that have no other location.',
});
