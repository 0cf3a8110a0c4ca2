/** `sonde alert-channels delete`, and its alias `sonde delete alert-channel`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';
import { deleteAlertChannel, getAlertChannel } from '../../src/contract/index.ts';

export const command = deleteCommand(alertChannels, {
  endpoint: deleteAlertChannel,
  get: getAlertChannel,
  sample: '31',
  description: 'The channel sends no more notifications.',
});
