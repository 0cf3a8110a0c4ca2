/** `sonde services delete`: as `sonde delete service`. */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('services delete', deletions.service);
