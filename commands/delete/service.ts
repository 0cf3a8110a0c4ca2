/** `sonde delete service`: as `sonde services delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete service', deletions.service);
