/** `sonde delete check-trigger`: deletes triggers of checks (endpoint 14). */
import { deleteCheckTrigger } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete check-trigger',
  endpoint: deleteCheckTrigger,
  param: 'checkId',
  of: 'check',
  look: 'checkTrigger',
  placeholder: 'check-id',
  noun: 'trigger of check',
  plural: 'triggers of checks',
  summary: 'Delete the triggers of checks',
  description: 'The public address of each stops working at once.',
  examples: [
    { line: 'delete check-trigger 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', does: 'deletes one, after asking' },
    {
      line: 'delete check-trigger 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --ignore-missing --yes',
      does: 'counts one that is not there as done, and asks nothing',
    },
  ],
});
