/** `sonde maintenance delete`, and its alias `sonde delete maintenance`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { maintenance } from '../../src/cli/resources/maintenance.ts';
import { deleteMaintenanceWindow } from '../../src/contract/index.ts';

export const command = deleteCommand(maintenance, deleteMaintenanceWindow);
