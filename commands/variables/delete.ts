/** `sonde variables delete`: as `sonde delete variable` (endpoint 17). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('variables delete', deletions.variable);
