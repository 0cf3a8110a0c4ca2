/** `sonde incidents delete`: as `sonde delete incident`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('incidents delete', deletions.incident);
