/** Wakes clients that wait for the end of a session, and agents that wait for work or for stops. */

import { createLinkedController, whenAborted } from '../../../base/abort.ts';
import type { Clock } from '../../../base/clock.ts';
import { createWakeSignal, type WakeSignal } from '../../../base/wake-signal.ts';

/** Shares one read among all waiters that were woken together. */
type SharedRead = <T>(read: () => Promise<T>) => Promise<T>;

export type EndNotifier = ReturnType<typeof createEndNotifier>;

export function createEndNotifier() {
  const listeners = new Map<string, Set<(sharedRead: SharedRead) => void>>();
  /** Call this once the end of these sessions is committed. */
  const notifyEnded = (ids: readonly string[]) => {
    for (const id of ids) {
      let shared: Promise<unknown> | undefined;
      const woken: SharedRead = (read) => {
        shared ??= read();
        return shared as ReturnType<typeof read>;
      };
      for (const wake of listeners.get(id) ?? []) wake(woken);
    }
  };
  return {
    notifyEnded,
    /** Makes all waiters read again, because ends may have been missed. */
    notifyAll: () => notifyEnded([...listeners.keys()]),
    /** Returns a function that unsubscribes. */
    subscribe(id: string, wake: (woken: SharedRead) => void): () => void {
      const others = listeners.get(id) ?? new Set();
      listeners.set(id, others.add(wake));
      return () => {
        others.delete(wake);
        if (others.size === 0 && listeners.get(id) === others) listeners.delete(id);
      };
    },
  };
}

/** A session at the end of the wait. `ended` false: it is still running, and the API answers 408. */
export interface AwaitedSession<Session> {
  readonly ended: boolean;
  readonly session: Session;
}

interface WaitOptions<T> {
  readonly id: string;
  readonly endNotifier: EndNotifier;
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Returns undefined if the session does not exist. */
  readonly read: () => Promise<T | undefined>;
  readonly hasEnded: (session: T) => boolean;
}

/** Waits for the end of a session. It subscribes before it reads, so that no end in between is missed. */
export async function waitForEnd<T>(wait: WaitOptions<T>): Promise<AwaitedSession<T> | undefined> {
  const { read, hasEnded, clock, signal } = wait;
  let sharedRead: SharedRead | undefined;
  let wake = () => {};
  const unsubscribe = wait.endNotifier.subscribe(wait.id, (shared) => {
    sharedRead = shared;
    wake();
  });
  const waiting = createLinkedController(signal);
  try {
    let session = await read();
    if (session === undefined) return undefined;
    const timeout = clock.sleep(wait.maxWaitMs, waiting.signal).then(
      () => waiting.abort(),
      () => {},
    );
    while (!hasEnded(session) && !waiting.signal.aborted) {
      if (sharedRead === undefined)
        await Promise.race([timeout, new Promise<void>((resolve) => (wake = resolve))]);
      const shared: SharedRead | undefined = sharedRead;
      sharedRead = undefined;
      session = await (shared === undefined ? read() : shared(read));
      // The session was deleted with its check.
      if (session === undefined) return undefined;
    }
    return { ended: hasEnded(session), session };
  } finally {
    unsubscribe();
    waiting.unlink();
    waiting.abort();
  }
}

/** Created before the store is read, so that no change in between is missed. */
export interface PendingWake {
  /** Resolves at the next wake, after the given time, or when the signal aborts. */
  within(ms: number, signal: AbortSignal): Promise<void>;
  dispose(): void;
}

/** `pollMs`: how often waiters check again, because other processes also write to the store. */
export function createAgentWakeSignals(clock: Clock, pollMs: number) {
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
