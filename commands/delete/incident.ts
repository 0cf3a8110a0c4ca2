/** `sonde delete incident`: as `sonde incidents delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete incident', deletions.incident);
