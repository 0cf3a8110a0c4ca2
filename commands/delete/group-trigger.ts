/** `sonde delete group-trigger` (endpoint 13). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete group-trigger', deletions.groupTrigger);
