/** `sonde checks list`. */
import { listChecks } from '../../src/contract/index.ts';
import { standingText } from '../shared/checks/standing.ts';
import { checks, tableColumns, withGroupNames } from '../shared/resources/checks.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(checks, {
  endpoint: listChecks,
  word: standingText,
  whenNone: '"sonde checks create-url" makes one; "sonde checks" tells of other types.',
  table: { columns: tableColumns, dress: withGroupNames },
  examples: [
    { line: 'checks list --status failing', does: 'lists those that fail' },
    { line: 'checks list --tag shop --check-type DNS --all', does: 'lists all of a tag and a type' },
    {
      line: "checks list --search login --jq '.[].id' | sonde checks pause -",
      does: 'lets those of a name rest',
    },
  ],
});
