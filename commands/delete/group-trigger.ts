/** `sonde delete group-trigger`: deletes triggers of groups (endpoint 13). */
import { deleteGroupTrigger } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete group-trigger',
  endpoint: deleteGroupTrigger,
  param: 'groupId',
  of: 'group',
  look: 'groupTrigger',
  placeholder: 'group-id',
  noun: 'trigger of group',
  plural: 'triggers of groups',
  summary: 'Delete the triggers of check groups',
  description: 'The public address of each stops working at once.',
  examples: [
    { line: 'delete group-trigger 12', does: 'deletes one, after asking' },
    { line: 'delete group-trigger 12 13 --yes', does: 'asks nothing' },
  ],
});
