/** `sonde alert-channels create`. */
import { createAlertChannel } from '../../src/contract/index.ts';
import { alertChannels, channelFlags, channelSteps } from '../shared/resources/alert-channels.ts';
import { createCommand } from '../shared/resources/write.ts';

export const command = createCommand(alertChannels, {
  endpoint: createAlertChannel,
  flags: channelFlags,
  interview: channelSteps,
  description:
    'Checks and groups that are made from now on alert it by themselves, unless they are made with --no-auto-assign-alerts; those ' +
    'there are: --subscriptions here, or --alert-channel-subscriptions at their own update. What signs the calls of a webhook ' +
    'is best read from a file: --webhook-secret-file.',
  examples: [
    {
      line: 'alert-channels create --type EMAIL --address ops@example.com',
      does: 'tells of failures and recoveries by e-mail',
    },
    {
      line: 'alert-channels create --type WEBHOOK --name Deploys --url https://hooks.example.com/sonde --send-degraded',
      does: 'posts to an address, also where a check is slow',
    },
  ],
});
