/** `sonde delete alert-channel`: as `sonde alert-channels delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete alert-channel', deletions.alertChannel);
