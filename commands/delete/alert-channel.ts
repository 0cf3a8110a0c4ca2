/** `sonde delete alert-channel`: as `sonde alert-channels delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete alert-channel', deletions.alertChannel);
