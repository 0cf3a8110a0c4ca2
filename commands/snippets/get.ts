/** `sonde snippets get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';

export const command = getCommand(snippets, {
  examples: [
    { line: 'snippets get 1201', does: 'Show a snippet' },
    { line: 'snippets get 1201 --jq .script > sign-in.js', does: 'Write the code of a snippet to a file' },
  ],
});
