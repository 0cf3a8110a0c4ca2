/** `sonde snippets get`. */
import { getSnippet } from '../../src/contract/index.ts';
import { getCommand } from '../shared/resources/read.ts';
import { snippets } from '../shared/resources/snippets.ts';

export const command = getCommand(snippets, {
  endpoint: getSnippet,
  examples: [
    { line: 'snippets get 1201', does: 'Show a snippet' },
    { line: 'snippets get 1201 --jq .script > sign-in.js', does: 'Write the code of a snippet to a file' },
  ],
});
