/** Determines whether the service is ready (GET /ready). */
import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/index.ts';

export type Readiness = ReturnType<typeof createReadiness>;

interface ReadinessOptions {
  readonly store: Store;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly isRunning: () => boolean;
  readonly isStopping: () => boolean;
}

const POLL_MS = 1000;

export function createReadiness({ store, engine, clock, ...options }: ReadinessOptions) {
  return {
    /** Returns why the service is not ready, as a public sentence; undefined if it is. */
    problem(): string | undefined {
      if (options.isStopping()) return 'the service is stopping';
      if (!options.isRunning()) return 'the service is starting';
      return engine.health().problem ?? store.problem();
    },
    /** Retries a write while the store has a problem, until the signal aborts. */
    async watch(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await clock.sleep(POLL_MS, signal).catch(() => {});
        // Without this write an idle service would never learn that the problem is over.
        if (!signal.aborted && store.problem() !== undefined) await store.settings.touch().catch(() => {});
      }
    },
  };
}
