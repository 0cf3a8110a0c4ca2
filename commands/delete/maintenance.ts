/** `sonde delete maintenance`: as `sonde maintenance delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete maintenance', deletions.maintenance);
