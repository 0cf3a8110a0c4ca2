/** `sonde snippets update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';
import { updateSnippet } from '../../src/contract/index.ts';

export const command = updateCommand(snippets, updateSnippet, {
  examples: [
    {
      line: 'snippets update 1201 --script-file sign-in.js',
      does: 'Replace the code',
    },
    { line: 'snippets update 1201 --name "Sign in" --yes', does: 'Rename a snippet, without confirmation' },
  ],
});
