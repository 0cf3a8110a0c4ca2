/** `sonde private-locations delete`: as `sonde delete private-location` (endpoint 16). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('private-locations delete', deletions.privateLocation);
