/** `sonde agent upgrade-path`: lists the steps from an older runtime to the built-in one. */
import { UsageError } from '../../src/base/errors.ts';
import { REQUIRED_FLAG } from '../../src/base/phrases.ts';
import { defineCommand, text } from '../../src/cli/framework/index.ts';
import { RUNTIME_IDS } from '../../src/contract/enumerations.ts';
import { listUpgradeSteps, toAgentName } from '../../src/runners/browser/runtimes.ts';
import { render } from '../../src/terminal/index.ts';

export const command = defineCommand({
  name: 'agent upgrade-path',
  summary: 'List the steps from an older runtime to the built-in one',
  description:
    'A runtime is a pair of Node and Playwright versions. The command accepts both the API form 2026.04 and the agent form 2026-04.',
  options: {
    from: text('Current runtime of the agents', { placeholder: 'runtime' }),
  },
  formats: [],
  examples: [{ line: 'agent upgrade-path --from 2024-09', does: 'List each step with its image' }],
  async run({ terminal }, { options, output }) {
    const names = RUNTIME_IDS.map(toAgentName);
    const place = '--from';
    if (options.from === undefined)
      throw new UsageError(`required flag: --from (one of ${names.join(', ')})`, {
        details: [{ place, message: REQUIRED_FLAG, allowed: names }],
      });
    const steps = listUpgradeSteps(options.from);
    if (steps === undefined)
      throw new UsageError(`runtime "${options.from}" not found`, {
        details: [{ place, message: `must be one of ${names.join(', ')}`, allowed: names }],
      });
    await render(terminal, {
      kind: 'list',
      data: steps,
      output,
      columns: [
        { key: 'step', kind: 'number', priority: 100 },
        { key: 'action', header: 'what to do', priority: 100, minWidth: 40, lines: 4 },
      ],
    });
  },
});
