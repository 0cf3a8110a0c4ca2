/** `sonde delete status-page`: as `sonde status-pages delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete status-page', deletions.statusPage);
