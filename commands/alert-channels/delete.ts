/** `sonde alert-channels delete`, and its alias `sonde delete alert-channel`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';
import { deleteAlertChannel } from '../../src/contract/index.ts';

export const command = deleteCommand(alertChannels, deleteAlertChannel, {
  description: 'The channel sends no more notifications.',
});
