/** `sonde status-pages get`: shows a status page (endpoint 5). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { statusPageView } from '../../src/cli/resources/status-pages.ts';
import { getStatusPage } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'status-pages get',
  summary: 'Show a status page',
  endpoint: getStatusPage,
  arguments: { id: argument('ID of the page', { param: 'statusPageId', of: 'status-page' }) },
  examples: [
    { line: 'status-pages get 7c0f1d2e', does: 'Show a page' },
    {
      line: 'status-pages get 7c0f1d2e -o yaml > page.yaml',
      does: 'Write a page to a file for "sonde status-pages put"',
    },
  ],
  async run({ client, terminal, signal }, line) {
    const { body: page } = await (await client()).call(getStatusPage, line.input, { signal });
    await render(terminal, statusPageView(line, page));
  },
});
