/** `sonde services create`. */
import { createService } from '../../src/contract/index.ts';
import { services } from '../shared/resources/services.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(services, {
  endpoint: createService,
  description:
    'Status pages show the state of services. A check can open an incident of a service (triggerIncident).',
  interview: [{ flag: 'name' }],
  examples: [{ line: 'services create --name Checkout', does: 'Create a service' }],
});
