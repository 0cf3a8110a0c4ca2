/** What a series of echoes comes to. */
import { expect, it } from 'vitest';
import { computeStatistics } from '../../../src/runners/icmp/statistics.ts';

const echoes = (sent: number, replies: readonly number[]) => ({ sent, replies, errors: [], duplicates: 0 });

it('sums up round trips: jitter is the mean step between two, up or down', () => {
  expect(computeStatistics(echoes(6, [10, 14, 12, 20]))).toEqual({
    packetsSent: 6,
    packetsReceived: 4,
    packetLoss: 33.33,
    latency: { min: 10, avg: 14, max: 20, stdDev: 3.742, jitter: 4.667 },
  });
});

it('has no latency without a reply, and no jitter with one', () => {
  const none = { min: null, avg: null, max: null, stdDev: null, jitter: null };
  expect(computeStatistics(echoes(3, []))).toMatchObject({ packetLoss: 100, latency: none });
  expect(computeStatistics(echoes(1, [5])).latency).toEqual({
    min: 5,
    avg: 5,
    max: 5,
    stdDev: 0,
    jitter: null,
  });
});
