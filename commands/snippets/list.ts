/** `sonde snippets list`. */
import { listSnippets } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { snippets } from '../shared/resources/snippets.ts';

export const command = listCommand(snippets, {
  endpoint: listSnippets,
  whenNone: 'Create one with "sonde snippets create".',
  examples: [
    { line: 'snippets list --all', does: 'List all snippets' },
    { line: 'snippets list --jq \'.[] | "\\(.id) \\(.name)"\'', does: 'Print one ID and name per line' },
  ],
});
