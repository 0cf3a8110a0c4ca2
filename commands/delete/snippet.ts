/** `sonde delete snippet`: deletes snippets (endpoint 18). */
import { deleteSnippet } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete snippet',
  endpoint: deleteSnippet,
  param: 'id',
  of: 'snippet',
  look: 'snippet',
  placeholder: 'id',
  noun: 'snippet',
  plural: 'snippets',
  summary: 'Delete snippets',
  examples: [
    { line: 'delete snippet 1201', does: 'deletes one, after asking' },
    {
      line: 'delete snippet - --yes --json < ids.txt',
      does: 'deletes those whose ids stand in a file, one a line, and prints the outcomes as JSON',
    },
  ],
});
