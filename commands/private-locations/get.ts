/** `sonde private-locations get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { privateLocations } from '../../src/cli/resources/private-locations.ts';

export const command = getCommand(privateLocations);
