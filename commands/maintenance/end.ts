/** `sonde maintenance end`: ends a window that is open (POST /v1/maintenance-windows/{id}/end). */
import { endMaintenanceWindow } from '../../src/contract/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';

export const command = defineCommand({
  name: 'maintenance end',
  summary: 'End a maintenance window that is open',
  description:
    'Checks run and alerts are raised again at once. A window that repeats comes again as planned.',
  endpoint: endMaintenanceWindow,
  arguments: { id: argument('Id of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [{ line: 'maintenance end 12', does: 'ends it now' }],
  async run({ client, terminal, signal }, { input }) {
    const { body: window } = await (await client()).call(endMaintenanceWindow, input, { signal });
    await terminal.note(`The maintenance window "${window.name}" has ended.`);
  },
});
