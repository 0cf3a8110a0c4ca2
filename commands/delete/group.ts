/** `sonde delete group`: as `sonde groups delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete group', deletions.group);
