/** `sonde delete alert-channel`: as `sonde alert-channels delete`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete alert-channel', deletions.alertChannel);
