/** `sonde alert-channels delete`, and its alias `sonde delete alert-channel`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';

export const command = deleteCommand(alertChannels, {
  description: 'The channel sends no more notifications.',
});
