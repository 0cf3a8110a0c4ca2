/** `sonde variables list`. */
import { listVariables } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { variables } from '../shared/resources/variables.ts';

export const command = listCommand(variables, {
  endpoint: listVariables,
  summary: 'List environment variables',
  description: 'Secret values are never shown. Only "sonde variables get" shows locked values.',
  whenNone: 'Create one with "sonde variables set".',
  examples: [{ line: 'variables list --all', does: 'List all variables' }],
});
