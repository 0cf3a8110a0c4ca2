/** `sonde checks create-tcp`: creates a TCP check. */
import { createTcpCheck } from '../../src/contract/index.ts';
import { createCheckCommand, RUN_FIELDS, RUN_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'TCP',
  endpoint: createTcpCheck,
  groups: {
    'TCP connection': ['request.data', 'request.assertions', 'request.ipFamily'],
  },
  scheduleFields: RUN_FIELDS,
  steps: [
    { flag: 'name' },
    { flag: 'hostname', message: 'Host to connect to' },
    { flag: 'port', message: 'Port' },
    { flag: 'data', message: 'Data to send after connecting (Enter for none)' },
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the received data' },
  ],
  examples: [
    {
      line: "checks create-tcp --name Mail --hostname mail.example.com --port 25 --assert 'RESPONSE_DATA CONTAINS 220'",
      does: 'Check the greeting of a mail server',
    },
    {
      line: 'checks create-tcp --name Database --hostname db.internal --port 5432 --private-locations cellar',
      does: 'Check from a private location that a port is open',
    },
  ],
  targetColumns: [
    { key: 'request.hostname', header: 'host' },
    { key: 'request.port', header: 'port', kind: 'number' },
  ],
});
