/** `sonde delete private-location`: as `sonde private-locations delete` (endpoint 16). */
import { deletion } from '../../src/cli/resource-commands/delete.ts';
import * as deletions from '../../src/cli/resource-commands/deletions.ts';

export const command = deletion('delete private-location', deletions.privateLocation);
