/** Commits what comes in together in one transaction: under load one write to the disk serves many results. */
import type { Clock } from '../../../base/clock.ts';
import { turn } from '../../../base/next-tick.ts';
import { DatabaseFault } from '../../store/faults.ts';

interface Waiting<In, Out> {
  readonly item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

export interface Gathering<In> {
  /** At most so many are committed at once. */
  readonly most: number;
  /**
   * Waits before a commit, for what else comes, until `hurried` at the longest; left out: until what is there already has come
   * in. It is never told to wait for anything but time.
   */
  readonly gather?: (hurried: Promise<void>) => Promise<void>;
  /** What nobody gathers for, and who waits with it neither; left out: nothing. */
  readonly isUrgent?: (item: In) => boolean;
}

/** Waits until so long has passed since the last time, or it is hurried: who comes alone does not wait, a crowd is gathered. */
export function paced(clock: Clock, ms: number): (hurried?: Promise<void>) => Promise<void> {
  let last = Number.NEGATIVE_INFINITY;
  return async (hurried) => {
    const left = last + ms - clock.monotonic();
    if (left > 0)
      await new Promise<void>((resolve) => {
        const callOff = clock.timer(left, resolve);
        void hurried?.then(() => {
          callOff();
          resolve();
        });
      });
    last = clock.monotonic();
  };
}

/**
 * A function that hands its argument to `commit` together with all others that came in meanwhile. Where a commit of
 * several fails, each is tried alone, so that one bad item spoils only itself.
 */
export function batched<In, Out>(
  commit: (items: readonly In[]) => Promise<readonly Out[]>,
  { most, gather = turn, isUrgent = () => false }: Gathering<In>,
): (item: In) => Promise<Out> {
  const queue: Waiting<In, Out>[] = [];
  let isCommitting = false;
  let hurry = () => {};
  const hurried = () =>
    new Promise<void>((resolve) => {
      hurry = resolve;
    });
  const hasUrgent = () => queue.some(({ item }) => isUrgent(item));

  async function flush(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outs = await commit(batch.map(({ item }) => item));
      for (const [at, waiting] of batch.entries()) waiting.resolve(outs[at] as Out);
    } catch (error) {
      // A database that fails would fail each of them, and each would wait for it.
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
        if (queue.length < most) {
          if (!hasUrgent()) await gather(hurried());
          // What comes in the same turn is committed with it.
          if (hasUrgent()) await turn();
        }
        await flush(queue.splice(0, most));
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
