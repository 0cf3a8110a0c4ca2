/** `sonde incidents delete`: as `sonde delete incident`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('incidents delete', deletions.incident);
