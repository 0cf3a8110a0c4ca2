/** `sonde services create`. */
import { createService } from '../../src/contract/index.ts';
import { services } from '../shared/resources/services.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(services, {
  endpoint: createService,
  description:
    'A service is what status pages show the state of; a check may open an incident of it (triggerIncident).',
  interview: [{ flag: 'name' }],
  examples: [{ line: 'services create --name Checkout', does: 'makes one' }],
});
