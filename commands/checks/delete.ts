/** `sonde checks delete`: as `sonde delete check`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('checks delete', deletions.check);
