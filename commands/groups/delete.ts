/** `sonde groups delete`: as `sonde delete group`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('groups delete', deletions.group);
