/** `sonde alert-channels get`. */
import { getAlertChannel } from '../../src/contract/index.ts';
import { alertChannels } from '../shared/resources/alert-channels.ts';
import { getCommand } from '../shared/resources/read.ts';

export const command = getCommand(alertChannels, {
  endpoint: getAlertChannel,
  examples: [{ line: 'alert-channels get 31', does: 'Show an alert channel' }],
});
