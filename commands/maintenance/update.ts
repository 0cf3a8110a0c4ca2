/** `sonde maintenance update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { maintenance, windowFlags } from '../../src/cli/resources/maintenance.ts';
import { updateMaintenanceWindow } from '../../src/contract/index.ts';

export const command = updateCommand(maintenance, updateMaintenanceWindow, {
  flags: windowFlags,
  sends: 'changes',
  examples: [
    { line: 'maintenance update 12 --ends-at 2026-11-21T23:30:00Z', does: 'Extend a window' },
    {
      line: 'maintenance update 12 --repeat-unit null --yes',
      does: 'Stop a window from repeating, without confirmation',
    },
  ],
});
