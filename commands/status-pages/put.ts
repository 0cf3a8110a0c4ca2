/** `sonde status-pages put`: replaces a status page (endpoint 4). */
import { readBeforeChange } from '../../src/cli/edit/read-before-change.ts';
import { REPLACE_EXITS, replaceResource } from '../../src/cli/edit/replace-resource.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import { statusPages, toStatusPageBody } from '../../src/cli/resources/status-pages.ts';
import { getStatusPage, updateStatusPage } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'status-pages put',
  summary: 'Replace a status page',
  description:
    'Accepts the output of "sonde status-pages get -o yaml": fields that only responses have are ignored. Shows the difference ' +
    'to the current page, asks for confirmation in a terminal, and saves the previous page to an undo file.',
  endpoint: updateStatusPage,
  arguments: { id: argument('ID of the page', { param: 'statusPageId', of: 'status-page' }) },
  examples: [
    { line: 'status-pages put 7c0f1d2e -f page.yaml', does: 'Replace a page with the content of a file' },
    {
      line: 'status-pages put 7c0f1d2e -f page.yaml --default-theme DARK --yes',
      does: 'Replace a page and override one field, without confirmation',
    },
  ],
  exits: REPLACE_EXITS,
  printedBy: getStatusPage,
  makeBody: toStatusPageBody,
  async run(deps, line) {
    const { client, signal } = deps;
    const { input } = line;
    const { params } = input;
    const api = await client();
    const before = await readBeforeChange(
      deps,
      `status page ${params.statusPageId}`,
      async () => (await api.call(getStatusPage, { params }, { signal })).body,
    );
    const page = await replaceResource(deps, line, {
      noun: 'status page',
      id: params.statusPageId,
      endpoint: updateStatusPage,
      body: input.body,
      before,
      restoreCommand: ['status-pages', 'put', params.statusPageId],
      send: async () => (await api.call(updateStatusPage, input, { signal })).body,
    });
    await printResource(deps, line, statusPages, page);
  },
});
