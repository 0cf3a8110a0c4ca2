/** `sonde alert-channels delete`: as `sonde delete alert-channel`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('alert-channels delete', deletions.alertChannel);
