/** `sonde delete check-trigger` (endpoint 14). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete check-trigger', deletions.checkTrigger);
