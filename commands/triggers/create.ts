/** `sonde triggers create`: creates the URL that starts a check or a group. */

import { defineCommand } from '../../src/cli/framework/index.ts';
import { createCheckTrigger, createGroupTrigger } from '../../src/contract/index.ts';
import { isGroup, printTrigger, targetArgument } from './shared/triggers.ts';

export const command = defineCommand({
  name: 'triggers create',
  summary: 'Create the URL that starts a check or a group',
  description:
    'The URL starts the check or group without a key, so treat the URL as a secret. Revoke it with ' +
    '"sonde delete check-trigger" or "sonde delete group-trigger".',
  endpoint: createCheckTrigger,
  arguments: { id: targetArgument },
  dryRun: 'own',
  formats: ['plain'],
  examples: [
    {
      line: 'triggers create 5a2f8c1e-3b7d-4e6a-9c0d-1f2e3a4b5c6d',
      does: 'Create the trigger of a check',
    },
    {
      line: 'triggers create 12 -o plain | xargs curl -s',
      does: 'Create the trigger of a group, and start the group',
    },
  ],
  async run(deps, line) {
    const { client, signal, preview, terminal } = deps;
    const { input, dryRun, output } = line;
    const id = input.params.checkId;
    const group = { params: { groupId: Number(id) } };
    if (dryRun) {
      return isGroup(id)
        ? preview(createGroupTrigger, [group], output)
        : preview(createCheckTrigger, [input], output);
    }
    const api = await client();
    const { body: trigger } = isGroup(id)
      ? await api.call(createGroupTrigger, group, { signal })
      : await api.call(createCheckTrigger, input, { signal });
    await terminal.note(`Created the trigger of the ${isGroup(id) ? 'group' : 'check'} ${id}.`);
    await printTrigger(deps, line, trigger);
  },
});
