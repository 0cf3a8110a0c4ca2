/** Schemas of TCP checks (connect, send, expect) and ICMP checks (ping). */
import { ICMP_ASSERTION_SOURCES, TCP_ASSERTION_SOURCES } from '../../enumerations.ts';
import { allOptional, closed, integer, nullable, number, string } from '../../schema.ts';
import { assertions } from '../shared.ts';
import {
  commonFields,
  hostname,
  ipFamily,
  OF_GAPS,
  responseTimes,
  schemasOf,
  uptimeSchedule,
} from './common.ts';

const tcpRequest = closed(
  {
    hostname,
    port: integer('Port of the server', {
      minimum: 1,
      maximum: 65535,
      'x-gaps': ['minimum', 'maximum'],
    }),
    ...allOptional({
      data: nullable(string('Data to send after connecting')),
      ipFamily,
      assertions: assertions(TCP_ASSERTION_SOURCES, 'Assertions on the received data'),
    }),
  },
  {
    title: 'TcpRequest',
    description: 'TCP connection, data to send, and assertions',
  },
);
const tcpFields = {
  ...uptimeSchedule,
  ...responseTimes({ degraded: 4000, most: 5000, maximum: 5000 }, OF_GAPS),
};

export const tcpCheck = schemasOf(
  { type: 'TCP', title: 'TcpCheck' },
  { request: tcpRequest },
  { ...commonFields, ...tcpFields },
);

const icmpRequest = closed(
  {
    hostname,
    ...allOptional({
      pingCount: integer('Number of echo requests', {
        default: 10,
        minimum: 1,
        maximum: 50,
        ...OF_GAPS,
      }),
      ipFamily,
      assertions: assertions(ICMP_ASSERTION_SOURCES, 'Assertions on the replies'),
    }),
  },
  { title: 'IcmpRequest', description: 'Echo requests and assertions' },
);
const packetLoss = (what: string, value: number) =>
  number(`Packet loss, in percent, at which the check ${what}`, {
    ...{ default: value, minimum: 0, maximum: 100 },
    'x-unit': 'percent',
    ...OF_GAPS,
  });
const icmpFields = {
  ...uptimeSchedule,
  degradedPacketLossThreshold: packetLoss('is degraded', 10),
  maxPacketLossThreshold: packetLoss('fails', 20),
};

export const icmpCheck = schemasOf(
  { type: 'ICMP', title: 'IcmpCheck' },
  { request: icmpRequest },
  { ...commonFields, ...icmpFields },
);
