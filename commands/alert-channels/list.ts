/** `sonde alert-channels list`. */

import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { alertChannels } from '../../src/cli/resources/alert-channels.ts';
import { listAlertChannels } from '../../src/contract/index.ts';

export const command = listCommand(alertChannels, {
  endpoint: listAlertChannels,
  emptyHint: 'Create one with "sonde alert-channels create".',
  examples: [{ line: 'alert-channels list --all', does: 'List all alert channels' }],
});
