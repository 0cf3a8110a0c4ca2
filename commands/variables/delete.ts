/** `sonde variables delete`: as `sonde delete variable` (endpoint 17). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('variables delete', deletions.variable);
