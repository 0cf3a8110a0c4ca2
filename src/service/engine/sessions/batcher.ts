/** Commits concurrent items in one transaction, so that one disk write serves many results under load. */
import type { Clock } from '../../../base/clock.ts';
import { nextTick } from '../../../base/clock.ts';
import { DatabaseFault } from '../../store/errors.ts';

interface QueuedItem<In, Out> {
  readonly item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

export interface BatcherOptions<In> {
  /** Maximum number of items per commit. */
  readonly limit: number;
  /** Delays a commit to collect more items, until `hurried` resolves. Default: the next turn of the event loop. */
  readonly coalesce?: (whenHurried: Promise<void>) => Promise<void>;
  /** Urgent items skip the delay and flush the queue. Default: none. */
  readonly isUrgent?: (item: In) => boolean;
}

/**
 * Returns a function that waits until the interval has passed since its last call, or until it is hurried. A first
 * item does not wait.
 */
export function createPacer(clock: Clock, ms: number): (hurried?: Promise<void>) => Promise<void> {
  let last = Number.NEGATIVE_INFINITY;
  return async (hurried) => {
    const remainingMs = last + ms - clock.monotonic();
    if (remainingMs > 0)
      await new Promise<void>((resolve) => {
        const cancelTimer = clock.timer(remainingMs, resolve);
        void hurried?.then(() => {
          cancelTimer();
          resolve();
        });
      });
    last = clock.monotonic();
  };
}

/**
 * Returns a function that commits its argument together with all concurrent ones. If a commit of several fails, each
 * is retried alone, so that one bad item does not fail the others.
 */
export function createBatcher<In, Out>(
  commit: (items: readonly In[]) => Promise<readonly Out[]>,
  { limit, coalesce = nextTick, isUrgent = () => false }: BatcherOptions<In>,
): (item: In) => Promise<Out> {
  const queue: QueuedItem<In, Out>[] = [];
  let isCommitting = false;
  let hurry = () => {};
  const hurried = () =>
    new Promise<void>((resolve) => {
      hurry = resolve;
    });
  const hasUrgent = () => queue.some(({ item }) => isUrgent(item));

  async function flush(batch: readonly QueuedItem<In, Out>[]): Promise<void> {
    try {
      const results = await commit(batch.map(({ item }) => item));
      for (const [index, waiting] of batch.entries()) waiting.resolve(results[index] as Out);
    } catch (error) {
      // A failing database would fail, and delay, each of them.
      if (error instanceof DatabaseFault) for (const { reject } of batch) reject(error);
      else if (batch.length > 1) for (const waiting of batch) await flush([waiting]);
      else batch[0]?.reject(error);
    }
  }

  async function drain(): Promise<void> {
    if (isCommitting) return;
    isCommitting = true;
    try {
      while (queue.length > 0) {
        if (queue.length < limit) {
          if (!hasUrgent()) await coalesce(hurried());
          // Includes items from the same turn.
          if (hasUrgent()) await nextTick();
        }
        await flush(queue.splice(0, limit));
      }
    } finally {
      isCommitting = false;
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      if (isUrgent(item)) hurry();
      void drain();
    });
}
