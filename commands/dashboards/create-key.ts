/** `sonde dashboards create-key`: creates the key that opens a private dashboard. */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { createDashboardKey } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'dashboards create-key',
  summary: 'Create the key of a private dashboard',
  description: 'The new key replaces the previous one. Readers type it once in each browser.',
  endpoint: createDashboardKey,
  arguments: { id: argument('ID of the dashboard', { param: 'dashboardId', of: 'dashboard' }) },
  formats: ['plain'],
  examples: [
    { line: 'dashboards create-key 3c5d7e9f', does: 'Create a key and print it once' },
    { line: 'dashboards create-key 3c5d7e9f -o plain > key', does: 'Write a new key to a file' },
  ],
  async run({ client, terminal, signal }, { input, output }) {
    const { body: key } = await (await client()).call(createDashboardKey, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: key,
      output,
      columns: [
        { key: 'id', kind: 'id' },
        { key: 'rawKey', header: 'key', kind: 'id' },
        { key: 'created_at', header: 'created', kind: 'time' },
      ],
      formats: { plain: () => `${key.rawKey ?? key.maskedKey}\n` },
    });
    await terminal.note('The key is printed once. Share it with the readers of the dashboard.');
  },
});
