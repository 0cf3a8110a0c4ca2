/** `sonde services delete`, and its alias `sonde delete service`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { services } from '../../src/cli/resources/services.ts';
import { deleteService, getService } from '../../src/contract/index.ts';

export const command = deleteCommand(services, {
  endpoint: deleteService,
  get: getService,
  sample: '4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a',
  description: 'Removes the service from status pages.',
});
