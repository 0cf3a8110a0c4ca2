/** Whether the service can do its work now: what GET /ready answers. */
import type { Clock } from '../../base/clock.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/index.ts';

export interface Readiness {
  /** Why the service is not ready, as a sentence for everybody; undefined where it is. */
  problem(): string | undefined;
  /** Looks until the signal whether a store that took no write takes one again. */
  watch(signal: AbortSignal): Promise<void>;
}

export interface ReadinessOptions {
  readonly store: Pick<Store, 'problem'>;
  readonly engine: Pick<Engine, 'health'>;
  readonly clock: Clock;
  readonly isRunning: () => boolean;
  readonly isStopping: () => boolean;
  /** Writes what changes nothing. */
  readonly write: () => Promise<void>;
}

const LOOK_EVERY_MS = 1000;

export function readiness({ store, engine, clock, write, ...options }: ReadinessOptions): Readiness {
  return {
    problem() {
      if (options.isStopping()) return 'the service is stopping';
      if (!options.isRunning()) return 'the service is starting';
      return engine.health().problem ?? store.problem();
    },
    async watch(signal) {
      while (!signal.aborted) {
        await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
        // Else a service without work would never learn that the fault is over.
        if (!signal.aborted && store.problem() !== undefined) await write().catch(() => {});
      }
    },
  };
}
