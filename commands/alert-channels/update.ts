/** `sonde alert-channels update`. */
import { updateCommand } from '../../src/cli/resource-commands/update.ts';
import { alertChannels, channelFlags } from '../../src/cli/resources/alert-channels.ts';
import { updateAlertChannel } from '../../src/contract/index.ts';

export const command = updateCommand(alertChannels, updateAlertChannel, {
  flags: channelFlags,
  examples: [
    { line: 'alert-channels update 31 --no-send-recovery', does: 'Stop sending recoveries' },
    {
      line: 'alert-channels update 31 --address night@example.com',
      does: 'Change the e-mail address',
    },
  ],
});
