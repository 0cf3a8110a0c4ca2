/** `sonde status-pages access`: shows and updates the access settings of a status page. */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { updateStatusPageAccess } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'status-pages access',
  summary: 'Show or update the access settings of a status page',
  description:
    'A private page requires an access key. The key is printed once, when it is created. A new key revokes the previous key. ' +
    'Without flags, the command shows the current settings.',
  endpoint: updateStatusPageAccess,
  arguments: { id: argument('ID of the page', { param: 'statusPageId', of: 'status-page' }) },
  flags: { names: { isPrivate: 'private' } },
  examples: [
    { line: 'status-pages access 7c0f1d2e --private', does: 'Make a page private' },
    {
      line: 'status-pages access 7c0f1d2e --new-key --jq .accessKey > key',
      does: 'Write a new access key to a file',
    },
    {
      line: 'status-pages access 7c0f1d2e --no-private --white-label',
      does: 'Make a page public, without the name of the provider',
    },
  ],
  async run({ client, terminal, signal }, { input, output }) {
    const { body: access } = await (await client()).call(updateStatusPageAccess, input, { signal });
    await render(terminal, {
      kind: 'item',
      data: access,
      output,
      columns: [
        { key: 'isPrivate', header: 'private', kind: 'boolean' },
        { key: 'whiteLabel', header: 'white label', kind: 'boolean' },
        { key: 'accessKey', header: 'access key', value: ({ accessKey }) => accessKey ?? '', kind: 'id' },
      ],
    });
    if (access.accessKey !== undefined)
      await terminal.note('The key is printed once. Share it with the readers of the page.');
  },
});
