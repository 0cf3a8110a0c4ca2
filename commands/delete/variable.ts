/** `sonde delete variable`: deletes variables (endpoint 17). */
import { deleteVariable } from '../../src/contract/index.ts';
import { deletion } from '../shared/bulk/deletion.ts';

export const command = deletion({
  name: 'delete variable',
  endpoint: deleteVariable,
  param: 'key',
  of: 'variable',
  look: 'variable',
  placeholder: 'key',
  noun: 'variable',
  plural: 'variables',
  summary: 'Delete environment variables',
  examples: [
    { line: 'delete variable SHOP_URL', does: 'deletes one, after asking' },
    {
      line: 'delete variable SHOP_URL SHOP_USER --ignore-missing --yes',
      does: 'counts one that is not there as done, and asks nothing',
    },
  ],
});
