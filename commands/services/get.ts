/** `sonde services get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { services } from '../../src/cli/resources/services.ts';
import { getService } from '../../src/contract/index.ts';

export const command = getCommand(services, {
  endpoint: getService,
  examples: [{ line: 'services get 4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a', does: 'Show a service' }],
});
