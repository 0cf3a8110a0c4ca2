/** `sonde variables list`. */
import { listVariables } from '../../src/contract/index.ts';
import { listCommand } from '../shared/resources/read.ts';
import { variables } from '../shared/resources/variables.ts';

export const command = listCommand(variables, {
  endpoint: listVariables,
  summary: 'List environment variables',
  description: 'A secret value is never shown, a locked one only by "sonde variables get".',
  whenNone: '"sonde variables set" makes one.',
  examples: [{ line: 'variables list --all', does: 'lists every page' }],
});
