/** `sonde private-locations delete-key`: revokes a key of a private location. */
import { EXIT } from '../../src/base/exits.ts';
import { confirmChange } from '../../src/cli/framework/confirm-change.ts';
import { argument, defineCommand } from '../../src/cli/framework/index.ts';
import { deletePrivateLocationKey } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'private-locations delete-key',
  summary: 'Revoke a key of a private location',
  description:
    'Agents that use the key receive no more runs. List the key IDs with "sonde private-locations get".',
  endpoint: deletePrivateLocationKey,
  arguments: {
    id: argument('ID of the private location', { param: 'id', of: 'private-location' }),
    keyId: argument('ID of the key', { param: 'keyId' }),
  },
  examples: [
    {
      line: 'private-locations delete-key 2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f 6a8b0c2d-3e4f-4a5b-8c7d-9e0f1a2b3c4d',
      does: 'Revoke a key',
    },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  async run(deps, { input, globals }) {
    const { client, terminal, signal } = deps;
    const { keyId } = input.params;
    await confirmChange(deps, {
      message: `Revoke the key ${keyId}? Agents that use it receive no more runs.`,
      yes: globals.yes,
      required: true,
    });
    await (await client()).call(deletePrivateLocationKey, input, { signal });
    await terminal.note(`Revoked the key ${keyId}.`);
  },
});
