/** `sonde snippets delete`: as `sonde delete snippet` (endpoint 18). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('snippets delete', deletions.snippet);
