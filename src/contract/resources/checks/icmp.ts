/** Schemas of ICMP checks: ping. */
import type { AssertionSource } from '../../endpoint.ts';
import { allOptional, closed, integer, number } from '../../schema.ts';
import { assertions } from '../shared.ts';
import { commonFields, hostname, ipFamily, OF_GAPS, schemasOf, uptimeSchedule } from './common.ts';

const icmpSources = {
  LATENCY: {
    meaning: 'round-trip time in milliseconds: avg, min, max, stdDev or jitter',
    help: 'Round-trip time in milliseconds: avg, min, max, stdDev or jitter in parentheses',
    property: 'avg',
  },
  PACKET_LOSS: {
    meaning: 'packet loss in percent',
    help: 'Percentage of lost packets',
  },
  JSON_RESPONSE: {
    meaning: 'value in the replies, selected by JSONPath',
    help: 'All ping statistics as JSON; select a part with a JSONPath in parentheses',
    property: '$.packetsReceived',
  },
} satisfies Record<string, AssertionSource>;

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
      assertions: assertions(icmpSources, 'Assertions on the replies'),
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

export const icmpCheck = {
  sources: icmpSources,
  ...schemasOf(
    { type: 'ICMP', title: 'IcmpCheck' },
    { request: icmpRequest },
    { ...commonFields, ...icmpFields },
  ),
};
