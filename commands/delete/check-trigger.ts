/** `sonde delete check-trigger` (endpoint 14). */
import { defineDelete } from '../../src/cli/resource-commands/delete.ts';
import { deleteCheckTrigger, getCheck, getCheckTrigger } from '../../src/contract/index.ts';

export const command = defineDelete(
  'delete check-trigger',
  {
    noun: 'trigger of check',
    plural: 'triggers of checks',
    catalogKey: 'check',
    param: 'checkId',
    placeholder: 'check-id',
    get: getCheck,
    sampleId: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  },
  deleteCheckTrigger,
  { getTrigger: getCheckTrigger, description: 'The public URL stops working immediately.' },
);
