/** `sonde delete snippet`: as `sonde snippets delete` (endpoint 18). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete snippet', deletions.snippet);
