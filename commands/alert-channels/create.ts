/** `sonde alert-channels create`. */
import { createCommand } from '../../src/cli/resource-commands/write.ts';
import { alertChannels, channelFlags, channelSteps } from '../../src/cli/resources/alert-channels.ts';
import { createAlertChannel } from '../../src/contract/index.ts';

export const command = createCommand(alertChannels, createAlertChannel, {
  flags: channelFlags,
  interview: channelSteps,
  description:
    'New checks and groups subscribe to the channel automatically, unless they are created with --no-auto-assign-alerts. To subscribe ' +
    'existing checks and groups, use --subscriptions, or update them with --alert-channel-subscriptions. Read keys and secrets ' +
    'from files, for example with --api-key-file.',
  examples: [
    {
      line: 'alert-channels create --type EMAIL --address ops@example.com',
      does: 'Send failures and recoveries by e-mail',
    },
    {
      line: 'alert-channels create --type WEBHOOK --name Deploys --url https://hooks.example.com/sonde --send-degraded',
      does: 'Call a webhook, also when a check is degraded',
    },
    {
      line: 'alert-channels create --type PAGERDUTY --service-name Shop --service-key-file pagerduty.key',
      does: 'Open and resolve incidents in PagerDuty',
    },
    {
      line: 'alert-channels create --type SLACK_APP --slack-channel "#ops" --token-file slack.token',
      does: 'Post to Slack, with one thread for each outage',
    },
  ],
});
