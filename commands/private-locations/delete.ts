/** `sonde private-locations delete`, and its alias `sonde delete private-location` (endpoint 16). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';
import { deletePrivateLocation } from '../../src/contract/index.ts';

export const command = deleteCommand(privateLocations, deletePrivateLocation, {
  description:
    'Agents of the location receive no more work. With --force, sonde pauses checks that have no other location.',
});
