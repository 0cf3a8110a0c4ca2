/** `sonde status-pages delete`: as `sonde delete status-page`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('status-pages delete', deletions.statusPage);
