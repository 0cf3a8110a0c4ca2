/** Wakes waiting agents when their location has work or when a run must stop. */

import { whenAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { createWakeSignal, type WakeSignal } from '../../../base/wake-signal.ts';

/** Created before the store is read, so that no change in between is missed. */
export interface PendingWake {
  /** Resolves at the next wake, after the given time, or when the signal aborts. */
  within(ms: number, signal: AbortSignal): Promise<void>;
  /** Must be called in the end. */
  dispose(): void;
}

export interface AgentWakeSignalsOptions {
  readonly clock: Clock;
  /** How often waiters check again, in ms, because other processes also write to the store. */
  readonly pollMs: number | undefined;
}

export function createAgentWakeSignals({
  clock,
  pollMs = Number.POSITIVE_INFINITY,
}: AgentWakeSignalsOptions) {
  /** Signals of the pools in which an agent waits. */
  const pools = new Map<string, { readonly signal: WakeSignal; waiting: number }>();
  const stopSignal = createWakeSignal();

  function waitFor(woken: Promise<void>, dispose: () => void): PendingWake {
    return {
      dispose,
      async within(ms, signal) {
        const aborted = whenAborted(signal);
        let cancelTimer = () => {};
        const timeout = new Promise<void>((resolve) => {
          cancelTimer = clock.timer(Math.max(0, Math.min(ms, pollMs)), resolve);
        });
        await Promise.race([woken, timeout, aborted.aborted]);
        aborted.dispose();
        cancelTimer();
      },
    };
  }

  return {
    work(pool: string): PendingWake {
      const entry = pools.get(pool) ?? { signal: createWakeSignal(), waiting: 0 };
      pools.set(pool, entry);
      entry.waiting += 1;
      return waitFor(entry.signal.next(), () => {
        entry.waiting -= 1;
        if (entry.waiting === 0 && pools.get(pool) === entry) pools.delete(pool);
      });
    },
    stops: (): PendingWake => waitFor(stopSignal.next(), () => {}),
    /** Wakes agents of pools that have, or will have, claimable runs. */
    wakeForWork(names: Iterable<string>): void {
      for (const pool of names) pools.get(pool)?.signal.wake();
    },
    /** Wakes agents whose runs may have to stop. */
    wakeForStops: (): void => stopSignal.wake(),
  };
}
