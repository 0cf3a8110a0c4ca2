/** `sonde services get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { services } from '../../src/cli/resources/services.ts';

export const command = getCommand(services);
