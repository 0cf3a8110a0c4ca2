/** `sonde private-locations list`. */
import { listPrivateLocations } from '../../src/contract/index.ts';
import { privateLocations } from '../shared/resources/private-locations.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(privateLocations, {
  endpoint: listPrivateLocations,
  whenNone: '"sonde private-locations create" makes one.',
  examples: [{ line: 'private-locations list --all', does: 'lists every page' }],
});
