/** `sonde services delete`: as `sonde delete service`. */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('services delete', deletions.service);
