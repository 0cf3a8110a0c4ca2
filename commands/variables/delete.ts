/** `sonde variables delete`: as `sonde delete variable` (endpoint 17). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('variables delete', deletions.variable);
