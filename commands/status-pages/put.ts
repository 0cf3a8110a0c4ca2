/** `sonde status-pages put`: replaces a status page (endpoint 4). */
import { EXIT } from '../../src/base/exits.ts';
import { getStatusPage, updateStatusPage } from '../../src/contract/index.ts';
import { render } from '../../src/terminal/index.ts';
import { argument, defineCommand } from '../kernel/index.ts';
import { replace } from '../shared/changing/replace.ts';
import { statusPageBody } from '../shared/status-pages/body.ts';
import { statusPageView } from '../shared/status-pages/view.ts';

export const command = defineCommand({
  name: 'status-pages put',
  summary: 'Replace a status page',
  description:
    'Takes what "status-pages get -o yaml" printed: fields that only answers have are dropped. Shows the difference ' +
    'to the page as it stands, asks in a terminal, and keeps the page as it was.',
  endpoint: updateStatusPage,
  arguments: { id: argument('Id of the page', { param: 'statusPageId', of: 'status-page' }) },
  examples: [
    { line: 'status-pages put 7c0f1d2e -f page.yaml', does: 'replaces the page by what the file says' },
    {
      line: 'status-pages put 7c0f1d2e -f page.yaml --default-theme DARK --yes',
      does: 'changes one field of it on the way, and asks nothing',
    },
  ],
  exits: [
    [EXIT.declined, 'a person answered no; nothing was changed'],
    [EXIT.output, 'the page as it stands could not be kept, so nothing was changed'],
  ],
  makeBody: (given, { warn }) => statusPageBody(given, warn),
  async run(deps, line) {
    const { client, terminal, signal } = deps;
    const { input } = line;
    const { params } = input;
    const api = await client();
    const { body: before } = await api.call(getStatusPage, { params }, { signal });
    const page = await replace(deps, line, {
      noun: 'status page',
      id: params.statusPageId,
      endpoint: updateStatusPage,
      body: input.body,
      before,
      restore: ['status-pages', 'put', params.statusPageId],
      send: async () => (await api.call(updateStatusPage, input, { signal })).body,
    });
    await render(terminal, statusPageView(line, page));
  },
});
