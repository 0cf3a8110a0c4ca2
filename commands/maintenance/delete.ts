/** `sonde maintenance delete`, and its alias `sonde delete maintenance`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { maintenance } from '../../src/cli/resources/maintenance.ts';

export const command = deleteCommand(maintenance);
