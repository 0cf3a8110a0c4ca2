/** `sonde checks create-tcp`: creates a TCP check. */
import { createTcpCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from '../shared/checks/creation.ts';
import { TCP_FLAGS } from '../shared/checks/flags.ts';
import { ALERTS, ORDER, RUNS } from '../shared/checks/groups.ts';

export const command = createCheckCommand({
  verb: 'create-tcp',
  type: 'a TCP',
  endpoint: createTcpCheck,
  flags: {
    names: TCP_FLAGS,
    groups: {
      'What is connected to': ['request.data', 'request.assertions', 'request.ipFamily'],
      'Where and when it runs': RUNS,
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
  },
  steps: [
    { flag: 'name' },
    { flag: 'hostname', message: 'Host to connect to' },
    { flag: 'port', message: 'Port' },
    { flag: 'data', message: 'What is sent once the connection stands (Enter for nothing)' },
    { flag: 'locations', message: 'Where it runs from' },
    { flag: 'frequency', message: 'How often it runs' },
    { flag: 'frequency-offset', message: 'Seconds between two runs', when: ['frequency', '0'] },
    { flag: 'assert', message: 'Assertions on the received data' },
  ],
  examples: [
    {
      line: "checks create-tcp --name Mail --hostname mail.example.com --port 25 --assert 'RESPONSE_DATA CONTAINS 220'",
      does: 'connects to a mail server, and expects its greeting',
    },
    {
      line: 'checks create-tcp --name Database --hostname db.internal --port 5432 --private-locations cellar',
      does: 'looks from a private location whether a port is open',
    },
  ],
  subject: [
    { key: 'request.hostname', header: 'host' },
    { key: 'request.port', header: 'port', kind: 'number' },
  ],
});
