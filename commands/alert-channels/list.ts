/** `sonde alert-channels list`. */
import { listAlertChannels } from '../../src/contract/index.ts';
import { alertChannels } from '../shared/resources/alert-channels.ts';
import { listCommand } from '../shared/resources/read.ts';

export const command = listCommand(alertChannels, {
  endpoint: listAlertChannels,
  whenNone: 'Create one with "sonde alert-channels create".',
  examples: [{ line: 'alert-channels list --all', does: 'List all alert channels' }],
});
