/** `sonde services create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { services } from '../../src/cli/resources/services.ts';
import { createService } from '../../src/contract/index.ts';

export const command = createCommand(services, createService, {
  description:
    'Status pages show the state of services. A check can open an incident of a service (triggerIncident).',
  interview: [{ flag: 'name' }],
  examples: [{ line: 'services create --name Checkout', does: 'Create a service' }],
});
