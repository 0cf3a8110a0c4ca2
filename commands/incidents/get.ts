/** `sonde incidents get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { incidents } from '../../src/cli/resources/incidents.ts';

export const command = getCommand(incidents);
