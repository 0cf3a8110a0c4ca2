/** Schemas of TCP checks: connect, send, expect. */
import type { AssertionSource } from '../../endpoint.ts';
import { allOptional, closed, integer, nullable, string } from '../../schema.ts';
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

const tcpSources = {
  RESPONSE_TIME: {
    meaning: 'response time in milliseconds',
    help: 'Milliseconds until the response, or until the connection if there is no response',
  },
  RESPONSE_DATA: {
    meaning: 'received data as text',
    help: 'Received data as text',
  },
} satisfies Record<string, AssertionSource>;

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
      assertions: assertions(tcpSources, 'Assertions on the received data'),
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

export const tcpCheck = {
  sources: tcpSources,
  ...schemasOf(
    { type: 'TCP', title: 'TcpCheck' },
    { request: tcpRequest },
    { ...commonFields, ...tcpFields },
  ),
};
