/** `sonde snippets delete`: as `sonde delete snippet` (endpoint 18). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('snippets delete', deletions.snippet);
