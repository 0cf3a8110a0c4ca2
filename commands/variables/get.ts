/** `sonde variables get`. */
import { getVariable } from '../../src/contract/index.ts';
import { getCommand } from '../shared/resources/read.ts';
import { variables } from '../shared/resources/variables.ts';

export const command = getCommand(variables, {
  endpoint: getVariable,
  summary: 'Show an environment variable',
  examples: [
    { line: 'variables get SHOP_URL', does: 'shows it' },
    { line: 'variables get SHOP_URL --jq .value', does: 'prints its value alone, where it is no secret' },
  ],
});
