/** `sonde triggers get`: shows the URL that starts a check or a group. */

import { defineCommand } from '../../src/cli/framework/index.ts';
import { getCheckTrigger, getGroupTrigger } from '../../src/contract/index.ts';
import { isGroup, printTrigger, targetArgument } from './shared/triggers.ts';

export const command = defineCommand({
  name: 'triggers get',
  summary: 'Show the URL that starts a check or a group',
  endpoint: getCheckTrigger,
  arguments: { id: targetArgument },
  formats: ['plain'],
  examples: [
    {
      line: 'triggers get 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
      does: 'Show the trigger URL of a check, and the time of the last call',
    },
    { line: 'triggers get 12 -o plain', does: 'Print only the trigger URL of a group' },
  ],
  async run(deps, line) {
    const { client, signal } = deps;
    const id = line.input.params.checkId;
    const api = await client();
    const { body: trigger } = isGroup(id)
      ? await api.call(getGroupTrigger, { params: { groupId: Number(id) } }, { signal })
      : await api.call(getCheckTrigger, line.input, { signal });
    await printTrigger(deps, line, trigger);
  },
});
