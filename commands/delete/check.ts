/** `sonde delete check`: as `sonde checks delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete check', deletions.check);
