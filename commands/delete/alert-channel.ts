/** `sonde delete alert-channel`: as `sonde alert-channels delete`. */
import { deletion } from '../shared/bulk/deletion.ts';
import { deletions } from '../shared/bulk/deletions.ts';

export const command = deletion('delete alert-channel', deletions['alert-channel']);
