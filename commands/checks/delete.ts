/** `sonde checks delete`: as `sonde delete check`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('checks delete', deletions.check);
