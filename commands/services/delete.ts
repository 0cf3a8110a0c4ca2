/** `sonde services delete`: as `sonde delete service`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('services delete', deletions.service);
