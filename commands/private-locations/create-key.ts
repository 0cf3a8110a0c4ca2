/** `sonde private-locations create-key`: creates a key for the agents of a private location. */
import { createKeyCommand } from '../../src/cli/resource-commands/create-key.ts';
import { KEY_SHOWN_ONCE, privateLocations } from '../../src/cli/resources/private-locations.ts';
import { createPrivateLocationKey } from '../../src/contract/index.ts';

export const command = createKeyCommand(privateLocations, createPrivateLocationKey, {
  summary: 'Create a key for the agents of a private location',
  description:
    'To rotate a key without downtime, create a new key, deploy it to the agents, then delete the old key.',
  note: KEY_SHOWN_ONCE,
});
