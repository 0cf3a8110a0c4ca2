/** `sonde alert-channels update`. */
import { getAlertChannel, updateAlertChannel } from '../../src/contract/index.ts';
import { alertChannels, channelFlags } from '../shared/resources/alert-channels.ts';
import { updateCommand } from '../shared/resources/write.ts';

export const command = updateCommand(alertChannels, {
  get: getAlertChannel,
  endpoint: updateAlertChannel,
  flags: channelFlags,
  examples: [
    { line: 'alert-channels update 31 --no-send-recovery', does: 'Stop sending recoveries' },
    {
      line: 'alert-channels update 31 --address night@example.com',
      does: 'Change the e-mail address',
    },
  ],
});
