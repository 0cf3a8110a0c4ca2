/** Computes the metrics of a private location from the samples of its queue. */
import type { getPrivateLocationMetrics, QueryOf, ResponseOf } from '../../../contract/index.ts';
import { secondsToMs } from '../../engine/results/time-range.ts';
import { MAX_SAMPLE_AGE_MS, type QueueSample } from '../../store/index.ts';
import { toIso } from './document-resource.ts';
import { invalid, violation } from './problem.ts';

const DAY_MS = 24 * 60 * 60_000;
const LONG_WINDOW_INTERVAL_MS = 10 * 60_000;

/** Returns the window of a request in ms. @throws Problem 400 */
export function metricsWindow(query: QueryOf<typeof getPrivateLocationMetrics>, now: number) {
  const [from, to] = [secondsToMs(query.from), secondsToMs(query.to)];
  const refuse = (field: string, message: string) =>
    invalid([violation('query', [field], 'metricsWindow', message)]);
  if (from < now - MAX_SAMPLE_AGE_MS) throw refuse('from', 'must be at most 15 days ago');
  if (to <= from) throw refuse('to', 'must be later than from');
  return { from, to };
}

/** Returns the maximum of each interval of ten minutes. */
function toMaxima(samples: readonly QueueSample[]): QueueSample[] {
  const maxima = new Map<number, QueueSample>();
  for (const { sampledAt: at, ...sample } of samples) {
    const sampledAt = at - (at % LONG_WINDOW_INTERVAL_MS);
    const { queueSize, oldestMs } = maxima.get(sampledAt) ?? { queueSize: 0, oldestMs: 0 };
    maxima.set(sampledAt, {
      sampledAt,
      queueSize: Math.max(queueSize, sample.queueSize),
      oldestMs: Math.max(oldestMs, sample.oldestMs),
    });
  }
  return [...maxima.values()];
}

/** Returns the published metrics. A window of more than a day has a point every ten minutes instead of every minute. */
export function presentMetrics(
  samples: readonly QueueSample[],
  { from, to }: { readonly from: number; readonly to: number },
): ResponseOf<typeof getPrivateLocationMetrics> {
  const points = to - from > DAY_MS ? toMaxima(samples) : samples;
  return {
    timestamps: points.map(({ sampledAt }) => toIso(sampledAt)),
    queueSize: points.map(({ queueSize }) => queueSize),
    oldestScheduledCheckRun: points.map(({ oldestMs }) => oldestMs / 1000),
  };
}
