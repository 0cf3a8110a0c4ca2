/** `sonde alert-channels delete`: as `sonde delete alert-channel`. */
import { deletion } from '../shared/bulk/deletion.ts';
import { deletions } from '../shared/bulk/deletions.ts';

export const command = deletion('alert-channels delete', deletions['alert-channel']);
