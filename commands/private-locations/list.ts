/** `sonde private-locations list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';
import { listPrivateLocations } from '../../src/contract/index.ts';

export const command = listCommand(privateLocations, listPrivateLocations);
