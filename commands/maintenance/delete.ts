/** `sonde maintenance delete`: as `sonde delete maintenance`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('maintenance delete', deletions.maintenance);
