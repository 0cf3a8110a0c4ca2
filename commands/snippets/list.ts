/** `sonde snippets list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';
import { listSnippets } from '../../src/contract/index.ts';

export const command = listCommand(snippets, listSnippets, {
  examples: [
    { line: 'snippets list --all', does: 'List all snippets' },
    { line: 'snippets list --jq \'.[] | "\\(.id) \\(.name)"\'', does: 'Print one ID and name per line' },
  ],
});
