/** `sonde delete variable`: as `sonde variables delete` (endpoint 17). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete variable', deletions.variable);
