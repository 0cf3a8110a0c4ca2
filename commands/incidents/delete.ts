/** `sonde incidents delete`: as `sonde delete incident`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('incidents delete', deletions.incident);
