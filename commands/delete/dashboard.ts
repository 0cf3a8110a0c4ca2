/** `sonde delete dashboard`: as `sonde dashboards delete` (endpoint 15). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete dashboard', deletions.dashboard);
