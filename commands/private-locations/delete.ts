/** `sonde private-locations delete`: as `sonde delete private-location` (endpoint 16). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('private-locations delete', deletions.privateLocation);
