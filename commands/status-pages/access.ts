/** `sonde status-pages access`: who may read a page, and whether it names what made it. */
import { updateStatusPageAccess } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';

export const command = defineCommand({
  name: 'status-pages access',
  summary: 'Change who may read a status page',
  description:
    'A private page is read by whoever has its access key, which is shown once, when it is made. A new key closes what ' +
    'the one before it opened. Without options it tells how the page stands.',
  endpoint: updateStatusPageAccess,
  arguments: { id: argument('Id of the page', { param: 'statusPageId', of: 'status-page' }) },
  flags: { names: { isPrivate: 'private' } },
  examples: [
    { line: 'status-pages access 7c0f1d2e --private', does: 'lets only those read it who have its key' },
    {
      line: 'status-pages access 7c0f1d2e --new-key --jq .accessKey > key',
      does: 'writes a new key to a file',
    },
    {
      line: 'status-pages access 7c0f1d2e --no-private --white-label',
      does: 'opens it to all, without our name',
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
      await terminal.note('The key is shown this once: give it to those who may read the page.');
  },
});
