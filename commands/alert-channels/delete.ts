/** `sonde alert-channels delete`: as `sonde delete alert-channel`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('alert-channels delete', deletions.alertChannel);
