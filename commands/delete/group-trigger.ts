/** `sonde delete group-trigger` (endpoint 13). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete group-trigger', deletions.groupTrigger);
