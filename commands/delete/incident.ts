/** `sonde delete incident`: as `sonde incidents delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete incident', deletions.incident);
