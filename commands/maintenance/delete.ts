/** `sonde maintenance delete`: as `sonde delete maintenance`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('maintenance delete', deletions.maintenance);
