/** Computes the statistics of ping replies. */
import { roundMs } from '../network/deadline.ts';
import type { Echoes } from './ping.ts';

/** Milliseconds; null without replies (jitter: with fewer than two). */
export interface Latency {
  readonly min: number | null;
  readonly avg: number | null;
  readonly max: number | null;
  readonly stdDev: number | null;
  /** The mean difference between consecutive round trips. */
  readonly jitter: number | null;
}

export interface PingStatistics {
  readonly packetsSent: number;
  readonly packetsReceived: number;
  /** Percent. */
  readonly packetLoss: number;
  readonly latency: Latency;
}

export function computeStatistics({ sent, replies }: Echoes): PingStatistics {
  const received = replies.length;
  const loss = sent === 0 ? 100 : Math.max(0, ((sent - received) / sent) * 100);
  return {
    packetsSent: sent,
    packetsReceived: received,
    packetLoss: Math.round(loss * 100) / 100,
    latency: computeLatency(replies),
  };
}

function computeLatency(replies: readonly number[]): Latency {
  if (replies.length === 0) return { min: null, avg: null, max: null, stdDev: null, jitter: null };
  const avg = mean(replies);
  const differences = replies.slice(1).map((ms, index) => Math.abs(ms - (replies[index] ?? ms)));
  return {
    min: Math.min(...replies),
    avg: roundMs(avg),
    max: Math.max(...replies),
    stdDev: roundMs(Math.sqrt(mean(replies.map((ms) => (ms - avg) ** 2)))),
    jitter: differences.length === 0 ? null : roundMs(mean(differences)),
  };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
