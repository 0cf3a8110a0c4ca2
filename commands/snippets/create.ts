/** `sonde snippets create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';
import { createSnippet } from '../../src/contract/index.ts';

export const command = createCommand(snippets, createSnippet, {
  interview: [
    { flag: 'name' },
    { flag: 'script', message: 'Code', template: '// Runs before or after a check.\n' },
  ],
  examples: [
    {
      line: 'snippets create --name "Sign in" --script-file sign-in.js',
      does: 'Create a snippet from a file',
    },
  ],
});
