/** `sonde alert-channels create`. */
import { createAlertChannel } from '../../src/contract/index.ts';
import { alertChannels, channelFlags, channelSteps } from '../shared/resources/alert-channels.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(alertChannels, {
  endpoint: createAlertChannel,
  flags: channelFlags,
  interview: channelSteps,
  description:
    'New checks and groups alert it by themselves, unless --no-auto-assign-alerts; those there are: --subscriptions, or their own update.',
  examples: [
    {
      line: 'alert-channels create --type EMAIL --config address=ops@example.com',
      does: 'tells of failures and recoveries by e-mail',
    },
    {
      line: 'alert-channels create --type WEBHOOK --config name=Deploys,url=https://hooks.example.com/sonde --send-degraded',
      does: 'posts to an address, also where a check is slow',
    },
  ],
});
