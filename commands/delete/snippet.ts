/** `sonde delete snippet`: as `sonde snippets delete` (endpoint 18). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete snippet', deletions.snippet);
