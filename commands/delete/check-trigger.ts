/** `sonde delete check-trigger` (endpoint 14). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete check-trigger', deletions.checkTrigger);
