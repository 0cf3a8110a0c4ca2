/** `sonde services delete`, and its alias `sonde delete service`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { services } from '../../src/cli/resources/services.ts';

export const command = deleteCommand(services, {
  description: 'Removes the service from status pages.',
});
