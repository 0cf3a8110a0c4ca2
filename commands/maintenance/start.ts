/** `sonde maintenance start`: starts a window manually (POST /v1/maintenance-windows/{id}/start). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { startMaintenanceWindow } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'maintenance start',
  summary: 'Start a maintenance window',
  description:
    'Starts the current occurrence if it waits for a manual start (autoStart: false). Otherwise, starts the next occurrence early, up to one day ahead. The window ends at its scheduled time, or with "sonde maintenance end".',
  endpoint: startMaintenanceWindow,
  arguments: { id: argument('ID of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [{ line: 'maintenance start 12', does: 'Start a window now' }],
  async run({ client, terminal, signal }, { input }) {
    const { body: window } = await (await client()).call(startMaintenanceWindow, input, { signal });
    await terminal.note(
      `Started the maintenance window "${window.name}" (active since ${window.openSince ?? 'now'}).`,
    );
  },
});
