/** `sonde variables get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { variables } from '../../src/cli/resources/variables.ts';

export const command = getCommand(variables, {
  summary: 'Show an environment variable',
  examples: [
    { line: 'variables get SHOP_URL', does: 'Show a variable' },
    {
      line: 'variables get SHOP_URL --jq .value',
      does: 'Print only the value of a variable that is not secret',
    },
  ],
});
