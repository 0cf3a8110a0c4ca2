/** `sonde delete status-page`: as `sonde status-pages delete`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete status-page', deletions.statusPage);
