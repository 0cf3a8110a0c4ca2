/** `sonde variables list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import { listVariables } from '../../src/contract/index.ts';

export const command = listCommand(variables, listVariables, {
  summary: 'List environment variables',
  description: 'Secret values are never shown. Only "sonde variables get" shows locked values.',
  emptyHint: 'Create one with "sonde variables set".',
});
