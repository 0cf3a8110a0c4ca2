/** `sonde delete variable`: as `sonde variables delete` (endpoint 17). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete variable', deletions.variable);
