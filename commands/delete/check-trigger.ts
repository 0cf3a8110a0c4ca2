/** `sonde delete check-trigger` (endpoint 14). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete check-trigger', deletions.checkTrigger);
