/** `sonde delete dashboard`: as `sonde dashboards delete` (endpoint 15). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete dashboard', deletions.dashboard);
