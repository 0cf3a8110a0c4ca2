/** `sonde groups delete`: as `sonde delete group`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('groups delete', deletions.group);
