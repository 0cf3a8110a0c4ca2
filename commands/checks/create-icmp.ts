/** `sonde checks create-icmp`: creates an ICMP check. */
import { createIcmpCheck } from '../../src/contract/index.ts';
import {
  createCheckCommand,
  LOCATION_FIELDS,
  PACKET_LOSS_FIELDS,
  RUN_STEPS,
} from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'ICMP',
  endpoint: createIcmpCheck,
  groups: {
    Ping: ['request.pingCount', 'request.assertions', 'request.ipFamily'],
  },
  scheduleFields: [...LOCATION_FIELDS, 'frequencyOffset', ...PACKET_LOSS_FIELDS],
  steps: [
    { flag: 'name' },
    { flag: 'hostname', message: 'Host to ping' },
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the replies', suggestions: ['LATENCY(avg) LESS_THAN 100'] },
  ],
  examples: [
    {
      line: 'checks create-icmp --name Gateway --hostname 192.0.2.1 --ping-count 5 --max-packet-loss-threshold 40',
      does: 'Send five pings, and fail if two of them are lost',
    },
    {
      line: "checks create-icmp --name Near --hostname example.com --assert 'LATENCY(avg) LESS_THAN 50'",
      does: 'Expect replies within 50 ms on average',
    },
  ],
  targetColumns: [
    { key: 'request.hostname', header: 'host' },
    { key: 'request.pingCount', header: 'pings', kind: 'number' },
  ],
});
