/** `sonde delete private-location`: as `sonde private-locations delete` (endpoint 16). */
import { deletion } from '../../src/cli/bulk/delete-command.ts';
import * as deletions from '../../src/cli/resources/deletions.ts';

export const command = deletion('delete private-location', deletions.privateLocation);
