/** `sonde dashboards delete`: as `sonde delete dashboard` (endpoint 15). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('dashboards delete', deletions.dashboard);
