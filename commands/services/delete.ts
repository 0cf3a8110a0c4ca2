/** `sonde services delete`, and its alias `sonde delete service`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { services } from '../../src/cli/resources/services.ts';
import { deleteService } from '../../src/contract/index.ts';

export const command = deleteCommand(services, deleteService, {
  description: 'Removes the service from status pages.',
});
