/** `sonde services list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { services } from '../../src/cli/resources/services.ts';
import { listServices } from '../../src/contract/index.ts';

export const command = listCommand(services, listServices);
