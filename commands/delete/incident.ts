/** `sonde delete incident`: as `sonde incidents delete`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete incident', deletions.incident);
