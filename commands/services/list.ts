/** `sonde services list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { services } from '../../src/cli/resources/services.ts';

export const command = listCommand(services);
