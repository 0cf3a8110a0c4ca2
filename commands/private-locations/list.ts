/** `sonde private-locations list`. */
import { listPrivateLocations } from '../../src/contract/index.ts';
import { privateLocations } from '../shared/resources/private-locations.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(privateLocations, {
  endpoint: listPrivateLocations,
  whenNone: 'Create one with "sonde private-locations create".',
  examples: [{ line: 'private-locations list --all', does: 'List all private locations' }],
});
