/** `sonde services update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { services } from '../../src/cli/resources/services.ts';
import { updateService } from '../../src/contract/index.ts';

export const command = updateCommand(services, updateService, {
  examples: [
    {
      line: 'services update 4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a --name Checkout',
      does: 'Rename a service',
    },
  ],
});
