/** `sonde checks create-icmp`: creates an ICMP check. */
import { createIcmpCheck } from '../../src/contract/index.ts';
import { createCheckCommand } from './shared/create-command.ts';
import {
  ALERT_FIELDS,
  LOCATION_FIELDS,
  ORGANIZATION_FIELDS,
  PACKET_LOSS_FIELDS,
} from './shared/help-groups.ts';

export const command = createCheckCommand({
  type: 'ICMP',
  endpoint: createIcmpCheck,
  groups: {
    Ping: ['request.pingCount', 'request.assertions', 'request.ipFamily'],
    'Schedule and locations': [...LOCATION_FIELDS, 'frequencyOffset', ...PACKET_LOSS_FIELDS],
    Notifications: ALERT_FIELDS,
    Organization: ORGANIZATION_FIELDS,
  },
  steps: [
    { flag: 'name' },
    { flag: 'hostname', message: 'Host to ping' },
    { flag: 'locations', message: 'Locations' },
    { flag: 'frequency', message: 'Frequency' },
    { flag: 'frequency-offset', message: 'Seconds between runs', when: ['frequency', '0'] },
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
