/** Checks of a host below HTTP: TCP checks (connect, send, expect) and ICMP checks (ping). */
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
    port: integer('Port that is connected to', {
      minimum: 1,
      maximum: 65535,
      'x-gaps': ['minimum', 'maximum'],
    }),
    ...allOptional({
      data: nullable(string('What is sent once the connection stands')),
      ipFamily,
      assertions: assertions(TCP_ASSERTION_SOURCES, 'Assertions on the received data'),
    }),
  },
  {
    title: 'TcpRequest',
    description: 'What is connected to, what is sent, and what must hold of the answer',
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
      pingCount: integer('How many echo requests are sent', {
        default: 10,
        minimum: 1,
        maximum: 50,
        ...OF_GAPS,
      }),
      ipFamily,
      assertions: assertions(ICMP_ASSERTION_SOURCES, 'Assertions on the replies'),
    }),
  },
  { title: 'IcmpRequest', description: 'What is pinged, how often, and what must hold of the replies' },
);
const packetLoss = (what: string, value: number) =>
  number(`Percentage of lost packets at which the check counts as ${what}`, {
    ...{ default: value, minimum: 0, maximum: 100 },
    'x-unit': 'percent',
    ...OF_GAPS,
  });
const icmpFields = {
  ...uptimeSchedule,
  degradedPacketLossThreshold: packetLoss('degraded', 10),
  maxPacketLossThreshold: packetLoss('failing', 20),
};

export const icmpCheck = schemasOf(
  { type: 'ICMP', title: 'IcmpCheck' },
  { request: icmpRequest },
  { ...commonFields, ...icmpFields },
);
