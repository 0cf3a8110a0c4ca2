/** Wakes the waiters of a session after the commit of its end. A waiter costs one listener and one timer. */
import type { Clock } from '../../../base/clock.ts';
import type { Awaited } from './interface.ts';

/** Shares one read among all waiters that were woken together. */
type SharedRead = <T>(read: () => Promise<T>) => Promise<T>;

export interface EndNotifier {
  /** Call this once the end of these sessions is committed. */
  notifyEnded(ids: readonly string[]): void;
  /** Makes all waiters read again, because ends may have been missed. */
  notifyAll(): void;
  /** Returns a function that unsubscribes. */
  subscribe(id: string, wake: (woken: SharedRead) => void): () => void;
}

export function createEndNotifier(): EndNotifier {
  const listeners = new Map<string, Set<(sharedRead: SharedRead) => void>>();
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
    notifyAll: () => notifyEnded([...listeners.keys()]),
    subscribe(id, wake) {
      const others = listeners.get(id) ?? new Set();
      listeners.set(id, others.add(wake));
      return () => {
        others.delete(wake);
        if (others.size === 0 && listeners.get(id) === others) listeners.delete(id);
      };
    },
  };
}

export interface WaitOptions<T> {
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
export async function waitForEnd<T>(wait: WaitOptions<T>): Promise<Awaited<T> | undefined> {
  const { read, hasEnded, clock, signal } = wait;
  let sharedRead: SharedRead | undefined;
  let wake = () => {};
  const unsubscribe = wait.endNotifier.subscribe(wait.id, (shared) => {
    sharedRead = shared;
    wake();
  });
  const waiting = new AbortController();
  const stopWaiting = () => waiting.abort();
  signal?.addEventListener('abort', stopWaiting);
  if (signal?.aborted) stopWaiting();
  try {
    let session = await read();
    if (session === undefined) return undefined;
    const timeout = clock.sleep(wait.maxWaitMs, waiting.signal).then(stopWaiting, () => {});
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
    signal?.removeEventListener('abort', stopWaiting);
    waiting.abort();
  }
}
