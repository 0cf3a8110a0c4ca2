/** `sonde groups delete`: as `sonde delete group`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('groups delete', deletions.group);
