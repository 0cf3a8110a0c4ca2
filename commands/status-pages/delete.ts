/** `sonde status-pages delete`: as `sonde delete status-page`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('status-pages delete', deletions.statusPage);
