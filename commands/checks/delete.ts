/** `sonde checks delete`, and its alias `sonde delete check`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { checks } from '../../src/cli/resources/checks.ts';
import { deleteCheck, getCheck } from '../../src/contract/index.ts';

export const command = deleteCommand(checks, {
  endpoint: deleteCheck,
  get: getCheck,
  sample: '5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
  description:
    'Deletes the results of the check as well. To stop a check temporarily, run: sonde checks pause',
});
