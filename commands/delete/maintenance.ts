/** `sonde delete maintenance`: as `sonde maintenance delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete maintenance', deletions.maintenance);
