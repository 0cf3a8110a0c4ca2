/** `sonde maintenance delete`: as `sonde delete maintenance`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('maintenance delete', deletions.maintenance);
