/** `sonde delete status-page`: as `sonde status-pages delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete status-page', deletions.statusPage);
