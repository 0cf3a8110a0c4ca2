/** `sonde maintenance create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { maintenance, windowFlags } from '../../src/cli/resources/maintenance.ts';
import { createMaintenanceWindow } from '../../src/contract/index.ts';

export const command = createCommand(maintenance, createMaintenanceWindow, {
  // The field is required; null means that the window does not repeat.
  flags: { ...windowFlags, fill: { repeatUnit: null } },
  interview: [
    { flag: 'name' },
    { flag: 'starts-at', message: 'Start time' },
    { flag: 'ends-at', message: 'End time' },
    { flag: 'timezone', message: 'Time zone for dates and repetitions' },
    { flag: 'tags', message: 'Checks and groups to pause, by name or tag (Enter for none)' },
    { flag: 'pause-all-checks', message: 'Pause all checks?' },
  ],
  examples: [
    {
      line: 'maintenance create --name Upgrade --starts-at 2026-11-21T22:00:00Z --ends-at 2026-11-21T23:00:00Z --tags shop',
      does: 'Pause the checks with a tag for an hour',
    },
    {
      line: 'maintenance create --name Backups --starts-at 2026-11-22T02:00:00+01:00 --ends-at 2026-11-22T03:00:00+01:00 --timezone Europe/Berlin --repeat-unit WEEK --repeat-interval 1 --silence-all-alerts',
      does: 'Silence all alerts every Sunday at 02:00 in Berlin',
    },
  ],
});
