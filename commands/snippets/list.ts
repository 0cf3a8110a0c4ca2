/** `sonde snippets list`. */
import { listSnippets } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { snippets } from '../shared/resources/snippets.ts';

export const command = listCommand(snippets, {
  endpoint: listSnippets,
  whenNone: '"sonde snippets create" makes one.',
  examples: [
    { line: 'snippets list --all', does: 'lists every page' },
    { line: 'snippets list --jq \'.[] | "\\(.id) \\(.name)"\'', does: 'prints an id and a name a line' },
  ],
});
