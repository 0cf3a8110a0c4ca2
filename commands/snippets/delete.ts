/** `sonde snippets delete`, and its alias `sonde delete snippet` (endpoint 18). */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { snippets } from '../../src/cli/resources/snippets.ts';
import { deleteSnippet } from '../../src/contract/index.ts';

export const command = deleteCommand(snippets, deleteSnippet);
