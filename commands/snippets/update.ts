/** `sonde snippets update`. */
import { getSnippet, updateSnippet } from '../../src/contract/index.ts';
import { snippets } from '../shared/resources/snippets.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(snippets, {
  get: getSnippet,
  endpoint: updateSnippet,
  examples: [
    {
      line: 'snippets update 1201 --script-file sign-in.js',
      does: 'Replace the code',
    },
    { line: 'snippets update 1201 --name "Sign in" --yes', does: 'Rename a snippet, without confirmation' },
  ],
});
