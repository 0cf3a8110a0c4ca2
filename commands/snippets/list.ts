/** `sonde snippets list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';

export const command = listCommand(snippets, {
  examples: [
    { line: 'snippets list --all', does: 'List all snippets' },
    { line: 'snippets list --jq \'.[] | "\\(.id) \\(.name)"\'', does: 'Print one ID and name per line' },
  ],
});
