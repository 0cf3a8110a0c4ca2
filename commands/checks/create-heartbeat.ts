/** `sonde checks create-heartbeat`: creates a heartbeat check and prints its ping URL. */

import { formatNextPings } from '../../src/cli/resources/next-pings.ts';
import { createHeartbeatCheck } from '../../src/contract/index.ts';
import { createCheckCommand, HEARTBEAT_FIELDS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'HEARTBEAT',
  description:
    'The monitored job, such as a backup, pings the URL of the check each time it finishes. The check fails if no ping arrives ' +
    'within the period plus the grace period, and recovers with the next ping. It cannot fail before the first ping.',
  endpoint: createHeartbeatCheck,
  groups: {
    Schedule: [...HEARTBEAT_FIELDS, 'activated'],
  },
  steps: [
    { flag: 'name' },
    { flag: 'cron', message: 'Cron expression of the job, or nothing for an interval' },
    { flag: 'timezone', message: 'Time zone of the cron expression', when: ['cron'] },
    { flag: 'period', message: 'Expected interval between pings', suggestions: ['1'], unless: 'cron' },
    { flag: 'period-unit', message: 'Unit of the interval', unless: 'cron' },
    { flag: 'grace', message: 'Grace period for a late ping', suggestions: ['5'] },
    { flag: 'grace-unit', message: 'Unit of the grace period' },
  ],
  preview: ({ heartbeat }, now) => {
    const times = formatNextPings(heartbeat, now);
    return times && `The next pings are expected at:\n  ${times.join('\n  ')}`;
  },
  examples: [
    {
      line: 'checks create-heartbeat --name Backup --cron "30 2 * * *" --timezone Europe/Berlin --grace 1 --grace-unit hours',
      does: 'Expect a ping each night at 2:30 in Berlin, and show the next five times',
    },
    {
      line: 'checks create-heartbeat --name Backup --period 1 --period-unit days --grace 30 --grace-unit minutes',
      does: 'Expect one ping per day, with a grace period of 30 minutes',
    },
    {
      line: "checks create-heartbeat --name Backup --period 1 --period-unit days --grace 1 --grace-unit hours --jq '.heartbeat.pingUrl'",
      does: 'Create a check and print only its ping URL',
    },
  ],
  targetColumns: [{ key: 'heartbeat.pingUrl', header: 'ping URL' }],
  async onCreated({ terminal }, { heartbeat }) {
    if (!terminal.stderrIsTTY || heartbeat?.pingUrl === undefined) return;
    await terminal.note(
      `To report success, ping the check at the end of the job:\n  curl -fsS -m 10 --retry 3 ${heartbeat.pingUrl}`,
    );
  },
});
