/** `sonde snippets delete`: as `sonde delete snippet` (endpoint 18). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('snippets delete', deletions.snippet);
