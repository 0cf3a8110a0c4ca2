/** `sonde dashboards delete`: as `sonde delete dashboard` (endpoint 15). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('dashboards delete', deletions.dashboard);
