/** `sonde checks delete`: as `sonde delete check`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('checks delete', deletions.check);
