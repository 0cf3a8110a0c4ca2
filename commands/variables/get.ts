/** `sonde variables get`. */
import { getVariable } from '../../src/contract/index.ts';
import { getCommand } from '../shared/resources/read.ts';
import { variables } from '../shared/resources/variables.ts';

export const command = getCommand(variables, {
  endpoint: getVariable,
  summary: 'Show an environment variable',
  examples: [
    { line: 'variables get SHOP_URL', does: 'Show a variable' },
    {
      line: 'variables get SHOP_URL --jq .value',
      does: 'Print only the value of a variable that is not secret',
    },
  ],
});
