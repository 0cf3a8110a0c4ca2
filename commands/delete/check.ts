/** `sonde delete check`: as `sonde checks delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete check', deletions.check);
