/** `sonde delete snippet`: as `sonde snippets delete` (endpoint 18). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete snippet', deletions.snippet);
