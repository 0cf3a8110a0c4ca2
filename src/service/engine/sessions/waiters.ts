/** Who waits for a session's end: woken by the end itself, after its commit. A waiter costs one listener and one timer. */
import type { Clock } from '../../../base/clock.ts';
import type { Awaited } from './interface.ts';

/** Reads once for everyone who was woken together. */
type Woken = <T>(read: () => Promise<T>) => Promise<T>;

export interface Transitions {
  /** To be called once the end of these sessions is committed. */
  ended(ids: readonly string[]): void;
  /** Everyone reads again: ends may have been missed. */
  wakeAll(): void;
  /** Answers how to stop listening. */
  subscribe(id: string, wake: (woken: Woken) => void): () => void;
}

export function transitions(): Transitions {
  const listeners = new Map<string, Set<(woken: Woken) => void>>();
  const ended = (ids: readonly string[]) => {
    for (const id of ids) {
      let shared: Promise<unknown> | undefined;
      const woken: Woken = (read) => {
        shared ??= read();
        return shared as ReturnType<typeof read>;
      };
      for (const wake of listeners.get(id) ?? []) wake(woken);
    }
  };
  return {
    ended,
    wakeAll: () => ended([...listeners.keys()]),
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

export interface Wait<T> {
  readonly id: string;
  readonly transitions: Transitions;
  readonly clock: Clock;
  readonly maxWaitMs: number;
  readonly signal: AbortSignal | undefined;
  /** Undefined: there is no such session. */
  readonly read: () => Promise<T | undefined>;
  readonly hasEnded: (session: T) => boolean;
}

/** Subscribes, then reads, then waits: an end between any two of these is not missed. */
export async function awaitEnd<T>(wait: Wait<T>): Promise<Awaited<T> | undefined> {
  const { read, hasEnded, clock, signal } = wait;
  let woken: Woken | undefined;
  let wake = () => {};
  const unsubscribe = wait.transitions.subscribe(wait.id, (shared) => {
    woken = shared;
    wake();
  });
  const over = new AbortController();
  const leave = () => over.abort();
  signal?.addEventListener('abort', leave);
  if (signal?.aborted) leave();
  try {
    let session = await read();
    if (session === undefined) return undefined;
    const late = clock.sleep(wait.maxWaitMs, over.signal).then(leave, () => {});
    while (!hasEnded(session) && !over.signal.aborted) {
      if (woken === undefined) await Promise.race([late, new Promise<void>((resolve) => (wake = resolve))]);
      const shared: Woken | undefined = woken;
      woken = undefined;
      session = await (shared === undefined ? read() : shared(read));
      // It went with its check.
      if (session === undefined) return undefined;
    }
    return { ended: hasEnded(session), session };
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', leave);
    over.abort();
  }
}
