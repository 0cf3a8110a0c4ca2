/** `sonde status-pages get`: shows a status page (endpoint 5). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { openResource, printResource } from '../../src/cli/resource-commands/read.ts';
import { statusPages } from '../../src/cli/resources/status-pages.ts';
import { webOption } from '../../src/cli/web/web-option.ts';
import { getStatusPage } from '../../src/contract/index.ts';

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
  options: { web: webOption },
  async run(deps, line) {
    const { client, signal } = deps;
    const { body: page } = await (await client()).call(getStatusPage, line.input, { signal });
    await (line.options.web ? openResource : printResource)(deps, line, statusPages, page);
  },
});
