/** `sonde snippets create`. */
import { createSnippet } from '../../src/contract/index.ts';
import { snippets } from '../shared/resources/snippets.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(snippets, {
  endpoint: createSnippet,
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
