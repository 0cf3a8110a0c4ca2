/** Samples the queues of private locations once a minute, for their metrics. */
import type { Clock } from '../../../base/clock.ts';
import type { EngineStore } from '../../store/engine/index.ts';
import { SAMPLE_INTERVAL_MS } from '../../store/location-queues.ts';

/** Starts the background loop. A minute in which the service or its database is down has no sample. */
export function startQueueSamples(
  store: Pick<EngineStore, 'locationQueues'>,
  clock: Clock,
  onError: (message: string, error: unknown) => void,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted)
      try {
        await clock.sleep(SAMPLE_INTERVAL_MS - (clock.now() % SAMPLE_INTERVAL_MS), signal);
        await store.locationQueues.sample(clock.now());
      } catch (error) {
        if (!signal.aborted) onError('cannot sample the queues of private locations', error);
      }
  }

  const loop = run();
  return {
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
