/** `sonde delete private-location`: as `sonde private-locations delete` (endpoint 16). */
import { deletion } from '../shared/bulk/deletion.ts';
import * as deletions from '../shared/bulk/deletions.ts';

export const command = deletion('delete private-location', deletions.privateLocation);
