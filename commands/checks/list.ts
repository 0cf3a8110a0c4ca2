/** `sonde checks list`. */
import { defineCommand } from '../../src/cli/framework/index.ts';
import {
  printWatchableList,
  WATCH_DESCRIPTION,
  watchOptions,
} from '../../src/cli/framework/watchable-list.ts';
import { formatCheckStatus } from '../../src/cli/resources/check-status.ts';
import { checks, tableColumns, withGroupNames } from '../../src/cli/resources/checks.ts';
import { listChecks } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'checks list',
  summary: 'List checks',
  description: WATCH_DESCRIPTION,
  endpoint: listChecks,
  options: watchOptions,
  examples: [
    { line: 'checks list --status failing', does: 'List failing checks' },
    { line: 'checks list --tag shop --check-type DNS --all', does: 'List all checks with a tag and a type' },
    { line: 'checks list --tag shop --watch', does: 'Follow the checks with a tag' },
    {
      line: "checks list --search login --jq '.[].id' | sonde checks pause -",
      does: 'Pause the checks with a name',
    },
  ],
  run: (deps, line) =>
    printWatchableList(deps, listChecks, line, {
      noun: checks.plural,
      columns: checks.columns,
      statusOf: formatCheckStatus,
      emptyHint: 'Create one with "sonde checks create-url". For other types, see "sonde checks --help".',
      table: { columns: tableColumns, addDetails: withGroupNames },
      idOf: checks.idOf,
      stateOf: ({ nextRunAt: _, ...check }) => check,
    }),
});
