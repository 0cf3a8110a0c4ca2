/** `sonde status-pages delete`, and its alias `sonde delete status-page`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { statusPages } from '../../src/cli/resources/status-pages.ts';
import { deleteStatusPage } from '../../src/contract/index.ts';

export const command = deleteCommand(statusPages, deleteStatusPage, {
  description: 'The URL stops working, and the subscribers are deleted.',
});
