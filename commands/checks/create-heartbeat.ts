/** `sonde checks create-heartbeat`: creates a heartbeat check, and prints the address that is to be pinged. */
import { createHeartbeatCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { HEARTBEAT_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-heartbeat',
  type: 'a heartbeat',
  description:
    'What is watched, such as a backup, pings an address of its own whenever it has done its work. The check fails where no ping ' +
    'comes within the period and its grace, and recovers with the next. Until the first has come, none is missed.',
  endpoint: createHeartbeatCheck,
  flags: {
    names: HEARTBEAT_FLAGS,
    groups: {
      'When a ping is expected': [
        'heartbeat.period',
        'heartbeat.periodUnit',
        'heartbeat.grace',
        'heartbeat.graceUnit',
        'activated',
      ],
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'period', message: 'A ping is expected every', offers: ['1'] },
    { flag: 'period-unit', message: 'Unit of that' },
    { flag: 'grace', message: 'How late it may be', offers: ['5'] },
    { flag: 'grace-unit', message: 'Unit of that' },
  ],
  examples: [
    {
      line: 'checks create-heartbeat --name Backup --period 1 --period-unit days --grace 30 --grace-unit minutes',
      does: 'expects a ping a day, and fails half an hour after it is missed',
    },
    {
      line: "checks create-heartbeat --name Backup --period 1 --period-unit days --grace 1 --grace-unit hours --jq '.heartbeat.pingUrl'",
      does: 'prints the address alone',
    },
  ],
  subject: [{ key: 'heartbeat.pingUrl', header: 'ping' }],
  async tell({ terminal }, _, { heartbeat }) {
    if (!terminal.stderrIsTTY || heartbeat?.pingUrl === undefined) return;
    await terminal.note(
      `Ping it at the end of the work that it watches:\n  curl -fsS -m 10 --retry 3 ${heartbeat.pingUrl}`,
    );
  },
});
