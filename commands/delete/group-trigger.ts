/** `sonde delete group-trigger` (endpoint 13). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete group-trigger', deletions.groupTrigger);
