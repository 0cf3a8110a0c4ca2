/** `sonde delete variable`: as `sonde variables delete` (endpoint 17). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete variable', deletions.variable);
