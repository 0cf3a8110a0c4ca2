/** `sonde maintenance start`: starts a window by hand (POST /v1/maintenance-windows/{id}/start). */
import { startMaintenanceWindow } from '../../src/contract/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';

export const command = defineCommand({
  name: 'maintenance start',
  summary: 'Start a maintenance window',
  description:
    'Starts the occurrence that is under way by plan and waits for a person (autoStart false), or the next one early, within a day. It ends as planned, or with "maintenance end".',
  endpoint: startMaintenanceWindow,
  arguments: { id: argument('Id of the window', { param: 'id', of: 'maintenance-window' }) },
  examples: [{ line: 'maintenance start 12', does: 'starts it now' }],
  async run({ client, terminal, signal }, { input }) {
    const { body: window } = await (await client()).call(startMaintenanceWindow, input, { signal });
    await terminal.note(
      `The maintenance window "${window.name}" is open since ${window.openSince ?? 'now'}.`,
    );
  },
});
