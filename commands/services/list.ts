/** `sonde services list`. */
import { listServices } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { services } from '../shared/resources/services.ts';

export const command = listCommand(services, {
  endpoint: listServices,
  whenNone: '"sonde services create" makes one; a status page then shows it.',
  examples: [{ line: 'services list --all', does: 'lists every page' }],
});
