/** `sonde services list`. */
import { listServices } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { services } from '../shared/resources/services.ts';

export const command = listCommand(services, {
  endpoint: listServices,
  whenNone: 'Create one with "sonde services create".',
  examples: [{ line: 'services list --all', does: 'List all services' }],
});
