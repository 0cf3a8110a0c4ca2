/** `sonde delete group`: as `sonde groups delete`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete group', deletions.group);
