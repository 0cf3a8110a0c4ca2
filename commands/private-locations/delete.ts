/** `sonde private-locations delete`: as `sonde delete private-location` (endpoint 16). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('private-locations delete', deletions.privateLocation);
