/** `sonde status-pages create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { statusPages, toStatusPageBody } from '../../src/cli/resources/status-pages.ts';
import { createStatusPage } from '../../src/contract/index.ts';

export const command = createCommand(statusPages, createStatusPage, {
  description:
    'The cards of a page show services by ID. Update the page later with "sonde status-pages edit".',
  flags: { fill: { cards: [] } },
  interview: [{ flag: 'name' }, { flag: 'url', message: 'Slug of the page' }],
  makeBody: toStatusPageBody,
  examples: [
    { line: 'status-pages create --name Shop --url shop', does: 'Create a page without cards' },
    {
      line: "status-pages create --name Shop --url shop --set 'cards[0].name=Shop' --set 'cards[0].services[0].id=4d6e8f0a-1b2c-4d3e-8f5a-6b7c8d9e0f1a'",
      does: 'Create a page with a service on a card',
    },
  ],
});
