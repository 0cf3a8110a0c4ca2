/** `sonde agent upgrade-path`: how agents come from an older runtime to the one that is built in. */
import { UsageError } from '../../src/base/errors.ts';
import { RUNTIME_IDS } from '../../src/contract/enumerations.ts';
import { agentNameOf, upgradePath } from '../../src/runners/browser/upgrade-path.ts';
import { render } from '../../src/terminal/index.ts';
import { defineCommand, text } from '../kernel/index.ts';

export const command = defineCommand({
  name: 'agent upgrade-path',
  summary: 'Tell how agents and checks come from an older runtime to the built-in one',
  description:
    'A runtime is a pair of Node and Playwright. The API names it 2026.04, an agent 2026-04: both are understood.',
  options: {
    from: text('The runtime that the agents have now', { placeholder: 'runtime' }),
  },
  formats: [],
  examples: [
    { line: 'agent upgrade-path --from 2024-09', does: 'names each step, and the image that it takes' },
  ],
  async run({ terminal }, { options, output }) {
    const names = RUNTIME_IDS.map(agentNameOf);
    const place = '--from';
    if (options.from === undefined)
      throw new UsageError(`--from is required: one of ${names.join(', ')}`, {
        details: [{ place, message: 'is required', allowed: names }],
      });
    const steps = upgradePath(options.from);
    if (steps === undefined)
      throw new UsageError(`There is no runtime "${options.from}"`, {
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
