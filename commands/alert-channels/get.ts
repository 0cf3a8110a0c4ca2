/** `sonde alert-channels get`. */

import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';
import { getAlertChannel } from '../../src/contract/index.ts';

export const command = getCommand(alertChannels, {
  endpoint: getAlertChannel,
  examples: [{ line: 'alert-channels get 31', does: 'Show an alert channel' }],
});
