/** `sonde variables get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { variables } from '../../src/cli/resources/variables.ts';
import { getVariable } from '../../src/contract/index.ts';

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
