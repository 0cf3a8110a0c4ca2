/** `sonde checks delete`, and its alias `sonde delete check`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { checks } from '../../src/cli/resources/checks.ts';
import { deleteCheck } from '../../src/contract/index.ts';

export const command = deleteCommand(checks, deleteCheck, {
  description:
    'Deletes the results of the check as well. To stop a check temporarily, run: sonde checks pause',
});
