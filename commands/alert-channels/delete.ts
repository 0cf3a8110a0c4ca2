/** `sonde alert-channels delete`: as `sonde delete alert-channel`. */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('alert-channels delete', deletions.alertChannel);
