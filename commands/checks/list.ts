/** `sonde checks list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { formatCheckStatus } from '../../src/cli/resources/check-status.ts';
import { checks, tableColumns, withGroupNames } from '../../src/cli/resources/checks.ts';
import { listChecks } from '../../src/contract/index.ts';

export const command = listCommand(checks, listChecks, {
  statusOf: formatCheckStatus,
  emptyHint: 'Create one with "sonde checks create-url". For other types, see "sonde checks --help".',
  table: { columns: tableColumns, addDetails: withGroupNames },
  examples: [
    { line: 'checks list --status failing', does: 'List failing checks' },
    { line: 'checks list --tag shop --check-type DNS --all', does: 'List all checks with a tag and a type' },
    {
      line: "checks list --search login --jq '.[].id' | sonde checks pause -",
      does: 'Pause the checks with a name',
    },
  ],
});
