/** `sonde status-pages delete`: as `sonde delete status-page`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('status-pages delete', deletions.statusPage);
