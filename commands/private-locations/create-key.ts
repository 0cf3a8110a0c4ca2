/** `sonde private-locations create-key`: creates a key for the agents of a private location. */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { KEY_SHOWN_ONCE } from '../../src/cli/resources/private-locations.ts';
import { createPrivateLocationKey } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'private-locations create-key',
  summary: 'Create a key for the agents of a private location',
  description:
    'To rotate a key without downtime, create a new key, deploy it to the agents, then delete the old key.',
  endpoint: createPrivateLocationKey,
  arguments: { id: argument('ID of the private location', { param: 'id', of: 'private-location' }) },
  formats: ['plain'],
  examples: [
    {
      line: 'private-locations create-key 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f',
      does: 'Create a key and print it once',
    },
    {
      line: 'private-locations create-key 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f -o plain > key',
      does: 'Write a new key to a file',
    },
  ],
  async run({ client, terminal, signal }, { input, output }) {
    const { body: key } = await (await client()).call(createPrivateLocationKey, input, { signal });
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
    await terminal.note(KEY_SHOWN_ONCE);
  },
});
