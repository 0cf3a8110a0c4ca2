/** `sonde dashboards create-key`: creates the key that opens a private dashboard. */
import { createKeyCommand } from '../../src/cli/resource-commands/create-key.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { createDashboardKey } from '../../src/contract/index.ts';

export const command = createKeyCommand(dashboards, createDashboardKey, {
  summary: 'Create the key of a private dashboard',
  description: 'The new key replaces the previous one. Readers type it once in each browser.',
  note: 'The key is printed once. Share it with the readers of the dashboard.',
});
