/** `sonde delete dashboard`: as `sonde dashboards delete` (endpoint 15). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete dashboard', deletions.dashboard);
