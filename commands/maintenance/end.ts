/** `sonde maintenance end`: ends an active window (POST /v1/maintenance-windows/{id}/end). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { endMaintenanceWindow } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'maintenance end',
  summary: 'End an active maintenance window',
  description:
    'Checks and alerts resume immediately. A repeating window starts again at its next scheduled time.',
  endpoint: endMaintenanceWindow,
  arguments: { id: argument('ID of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [{ line: 'maintenance end 12', does: 'End a window now' }],
  async run({ client, terminal, signal }, { input }) {
    const { body: window } = await (await client()).call(endMaintenanceWindow, input, { signal });
    await terminal.note(`Ended the maintenance window "${window.name}".`);
  },
});
