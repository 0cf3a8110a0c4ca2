/** `sonde dashboards delete`: as `sonde delete dashboard` (endpoint 15). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('dashboards delete', deletions.dashboard);
