/** `sonde error-groups list`: lists the error groups of a check (endpoint 12). */

import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { printList } from '../../src/cli/framework/print-list.ts';
import { errorGroups, isArchived } from '../../src/cli/resources/error-groups.ts';
import { listErrorGroups } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'error-groups list',
  summary: 'List the error groups of a check',
  endpoint: listErrorGroups,
  arguments: { checkId: argument('ID of the check', { param: 'checkId', of: 'check' }) },
  examples: [
    { line: 'error-groups list 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d', does: 'List the errors of a check' },
    {
      line: 'error-groups list 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d --all --fields id,rawErrorMessage -o csv',
      does: 'Write all groups with their original messages as CSV',
    },
  ],
  run: (deps, line) =>
    printList(deps, listErrorGroups, line, {
      columns: errorGroups.columns,
      noun: 'error groups',
      statusOf: (group) => (isArchived(group) ? 'archived' : 'open'),
      emptyHint: 'The check has no errors.',
    }),
});
