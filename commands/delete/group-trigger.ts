/** `sonde delete group-trigger` (endpoint 13). */
import { defineDelete } from '../../src/cli/resource-commands/delete.ts';
import { deleteGroupTrigger, getCheckGroup, getGroupTrigger } from '../../src/contract/index.ts';

export const command = defineDelete(
  'delete group-trigger',
  {
    noun: 'trigger of group',
    plural: 'triggers of groups',
    catalogKey: 'group',
    param: 'groupId',
    placeholder: 'group-id',
    get: getCheckGroup,
    sampleId: '12',
  },
  deleteGroupTrigger,
  { getTrigger: getGroupTrigger, description: 'The public URL stops working immediately.' },
);
