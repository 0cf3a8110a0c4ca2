/** `sonde delete private-location`: deletes private locations (endpoint 16). */
import { deletePrivateLocation } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete private-location',
  endpoint: deletePrivateLocation,
  param: 'id',
  of: 'private-location',
  look: 'privateLocation',
  placeholder: 'id',
  noun: 'private location',
  plural: 'private locations',
  summary: 'Delete private locations',
  description: 'Agents of the location get no more work.',
  examples: [
    {
      line: 'delete private-location 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f',
      does: 'deletes one, after asking',
    },
    { line: 'delete private-location 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f --yes', does: 'asks nothing' },
  ],
});
